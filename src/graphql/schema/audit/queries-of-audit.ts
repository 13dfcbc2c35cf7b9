/** Queries for the audit and for what model calls cost: admins' alone. */
import { readAuditPage, readUsage, type AuditFilter, type UsageOf } from '../../../store/audit-reads.ts'
import { AuditEntryConnection, AuditKindEnum, UsageGroupingEnum } from './audit-entry.ts'
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES, upTo } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { UsageType } from '../turn/usage.ts'

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
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
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

const MAX_USAGE_ROWS = 500
/** A month by day, or as many models, roles or people as there are for most. */
const ASSUMED_USAGE_ROWS = 30

const UsageRowType = builder.objectRef<UsageOf>('UsageRow').implement({
  description: 'What the model calls with one key have cost.',
  authScopes: ADMIN,
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The day, role, model, session or user; "" when none is known.' }),
    usage: t.expose('usage', { type: UsageType, description: 'The sums.' }),
  }),
})

builder.queryField('usage', (t) =>
  t.field({
    type: [UsageRowType],
    extensions: upTo(MAX_USAGE_ROWS, ASSUMED_USAGE_ROWS),
    nullable: true,
    authScopes: ADMIN,
    description:
      `Model calls, tokens and cost, grouped, from the audit: at most the ${MAX_USAGE_ROWS} keys that cost most (of days, ` +
      'the newest), in that order (days in theirs). For admins.',
    args: {
      from: t.arg({ type: 'DateTime', description: 'Only calls made then or later; all when left out.' }),
      to: t.arg({ type: 'DateTime', description: 'Only calls made before then; all when left out.' }),
      by: t.arg({ type: UsageGroupingEnum, required: true, description: 'What the key is.' }),
    },
    resolve: (_root, { from, to, by }, { database }) =>
      readUsage(database, { by, from: from ?? null, to: to ?? null, limit: MAX_USAGE_ROWS }),
  }),
)
