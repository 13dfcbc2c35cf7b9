/** The subscription by which admins watch the audit grow. */
import type { AuditChange } from '../../live/audit-trails.ts'
import { builder } from '../builder.ts'
import { BEGINS, READ_LIST } from '../list-update.ts'
import { AuditEntryInterface } from './audit-entry.ts'
import { AuditFilterInput, readAuditFilter } from './queries-of-audit.ts'

const AuditUpdate = builder.objectRef<AuditChange>('AuditUpdate').implement({
  description: 'A new entry of the audit, or that the audit is to be read.',
  authScopes: { admin: true },
  fields: (t) => ({
    readList: t.boolean({ description: READ_LIST, resolve: ({ entry }) => entry === null }),
    entry: t.expose('entry', {
      type: AuditEntryInterface,
      nullable: true,
      description: 'The entry; null with "readList".',
    }),
  }),
})

builder.subscriptionField('auditTrail', (t) =>
  t.field({
    type: AuditUpdate,
    authScopes: { admin: true },
    description:
      'Entries of the audit, a second or so after they were written: in the order in which they are sealed, nothing missing ' +
      `and nothing twice while you are connected. ${BEGINS} For admins.`,
    args: { filter: t.arg({ type: AuditFilterInput, description: 'Which entries; all when left out.' }) },
    subscribe: (_root, { filter }, { auditTrails }) => auditTrails.follow(readAuditFilter(filter)),
    resolve: (change) => change,
  }),
)
