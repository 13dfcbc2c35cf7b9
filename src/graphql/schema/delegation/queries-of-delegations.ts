/** The query for the delegated tasks of all sessions that the viewer may see. */
import type { DelegationStatus } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { countNewest, readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { matchable } from '../values/matchable.ts'
import { DelegationRow, DelegationStatusEnum } from './delegation.ts'

const DelegationFilterInput = builder.inputType('DelegationFilter', {
  description: 'Which delegated tasks to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [DelegationStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those that this session has delegated.' }),
  }),
})

builder.queryField('delegations', (t) =>
  t.field({
    type: DelegationRow.connection,
    authScopes: AUTHENTICATED,
    description: 'The tasks that sessions which you may see have delegated, newest first.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: DelegationFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      const conditions = (bind: Bind): string[] => conditionsOf(filter, bind)
      const wanted = { table: 'delegations', viewer, conditions } as const
      const page = await DelegationRow.ofKeys(
        { cursor: 'delegations1', args, context, info },
        { read: (request) => readNewestPage(database, { ...wanted, request }), position: ({ id }): [string] => [id] },
      )
      return { ...page, totalCount: () => countNewest(database, wanted) }
    },
  }),
)

interface DelegationFilter {
  readonly status?: readonly DelegationStatus[] | null | undefined
  readonly sessionId?: string | null | undefined
}

/** In SQL, of a row `c`. */
function conditionsOf(filter: DelegationFilter | null | undefined, bind: Bind): string[] {
  const { status, sessionId } = filter ?? {}
  return [
    ...(status == null || status.length === 0 ? [] : [`c.status = ANY (${bind(status)}::delegation_status[])`]),
    ...(sessionId == null ? [] : [`c.session_id = ${bind(matchable(sessionId))}::text`]),
  ]
}
