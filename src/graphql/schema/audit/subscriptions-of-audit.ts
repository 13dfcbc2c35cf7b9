/** The subscription by which admins watch the audit grow. */
import { AuditEntryInterface } from './audit-entry.ts'
import { builder } from '../builder.ts'
import { AuditFilterInput, readAuditFilter } from './queries-of-audit.ts'

builder.subscriptionField('auditTrail', (t) =>
  t.field({
    type: AuditEntryInterface,
    authScopes: { admin: true },
    description:
      'Entries of the audit, a second or so after they were written: in the order in which they are sealed, nothing missing ' +
      'and nothing twice while you are connected. What came before is not told: load the list after you have subscribed. ' +
      'For admins.',
    args: { filter: t.arg({ type: AuditFilterInput, description: 'Which entries; all when left out.' }) },
    subscribe: (_root, { filter }, { auditTrails }) => auditTrails.follow(readAuditFilter(filter)),
    resolve: (entry) => entry,
  }),
)
