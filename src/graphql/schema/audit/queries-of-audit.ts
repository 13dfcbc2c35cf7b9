/** The query for the audit: admins' alone. */
import { readAuditPage, type AuditFilter } from '../../../store/audit-reads.ts'
import { AuditEntryConnection, AuditKindEnum } from './audit-entry.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { toPage } from '../paging/page.ts'

const ADMIN = { admin: true } as const

export const AuditFilterInput = builder.inputType('AuditFilter', {
  description: 'Which entries: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    kind: t.field({ type: [AuditKindEnum], description: 'Only those of one of these kinds.' }),
    sessionId: t.id({ description: 'Only those of this session, which may be deleted.' }),
    turnId: t.id({ description: 'Only those of this turn.' }),
    actor: t.string({ description: 'Only what this user, or this part of the server, did.' }),
    from: t.field({ type: 'DateTime', description: 'Only what happened then or later.' }),
    to: t.field({ type: 'DateTime', description: 'Only what happened before then.' }),
  }),
})

/** What cannot be in a row matches none. */
export function readAuditFilter(filter: AuditFilter | null | undefined): AuditFilter {
  const { sessionId, turnId, actor, ...rest } = filter ?? {}
  return {
    ...rest,
    ...(sessionId == null ? {} : { sessionId: matchable(sessionId) }),
    ...(turnId == null ? {} : { turnId: matchable(turnId) }),
    ...(actor == null ? {} : { actor: matchable(actor) }),
  }
}

builder.queryField('audit', (t) =>
  t.field({
    type: AuditEntryConnection,
    nullable: true,
    authScopes: ADMIN,
    description: 'The audit, newest first. For admins.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: AuditFilterInput, description: 'Which entries; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, { database }, info) => {
      const request = readPageRequest('audit1', args, info)
      const after = request.after === null ? null : { at: new Date(request.after[0]), id: request.after[1] }
      const entries = await readAuditPage(database, {
        filter: readAuditFilter(filter),
        after,
        limit: request.size + 1,
      })
      return toPage(
        'audit1',
        request,
        entries.map((node) => ({ node, position: [node.at.toISOString(), node.id] as [string, string] })),
      )
    },
  }),
)
