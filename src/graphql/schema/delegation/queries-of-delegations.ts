/** The query for the delegated tasks of all sessions that the viewer may see. */
import type { DelegationStatus } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { loadInOrder } from '../paging/load-in-order.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { countNewest, readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { matchable } from '../values/matchable.ts'
import { DelegationConnection, DelegationStatusEnum } from './delegation.ts'

const DelegationFilterInput = builder.inputType('DelegationFilter', {
  description: 'Which delegated tasks to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [DelegationStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those that this session has delegated.' }),
  }),
})

builder.queryField('delegations', (t) =>
  t.field({
    type: DelegationConnection,
    authScopes: AUTHENTICATED,
    description: 'The tasks that sessions which you may see have delegated, newest first.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: DelegationFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      const request = readPageRequest('delegations1', args, info)
      const conditions = (bind: Bind): string[] => conditionsOf(filter, bind)
      const keys = await readNewestPage(database, { table: 'delegations', viewer, request, conditions })
      const query = selectNodes({ context, info }, 'Delegation', { id: true })
      const load = (ids: string[]) => database.prisma.delegation.findMany({ ...query, where: { id: { in: ids } } })
      const placed = (await loadInOrder(keys, load)).map(({ node }) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => countNewest(database, { table: 'delegations', viewer, conditions })
      return { ...toPage('delegations1', request, placed), totalCount }
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
