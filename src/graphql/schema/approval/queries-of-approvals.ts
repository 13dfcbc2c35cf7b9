/**
 * The query for the approvals of all sessions that the viewer may see, and the subscription to what becomes of them.
 */
import type { ApprovalStatus } from '../../../core/status.ts'
import { ApprovalStatusEnum } from './approval-enums.ts'
import { ApprovalConnection } from './approval.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { loadInOrder } from '../paging/load-in-order.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { countNewest, readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'

const ApprovalFilterInput = builder.inputType('ApprovalFilter', {
  description: 'Which approvals to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [ApprovalStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session.' }),
  }),
})

builder.queryField('approvals', (t) =>
  t.field({
    type: ApprovalConnection,
    authScopes: AUTHENTICATED,
    description:
      'The approvals of the sessions that you may see, newest first. With status PENDING: what waits for a decision.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: ApprovalFilterInput, description: 'Which of them; all when left out.' }),
      oldestFirst: t.arg.boolean({
        description:
          'The other way round: of those that wait, what is denied soonest for want of a decision comes first.',
      }),
    },
    resolve: async (_root, { filter, oldestFirst, ...args }, context, info) => {
      const { database, viewer } = context
      const request = readPageRequest('approvals1', args, info)
      const conditions = (bind: Bind): string[] => approvalConditions(filter, bind)
      const keys = await readNewestPage(database, {
        table: 'approvals',
        viewer,
        request,
        conditions,
        oldestFirst: oldestFirst === true,
      })
      const query = selectNodes({ context, info }, 'Approval', { id: true })
      const load = (ids: string[]) => database.prisma.approval.findMany({ ...query, where: { id: { in: ids } } })
      const placed = (await loadInOrder(keys, load)).map(({ node }) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => countNewest(database, { table: 'approvals', viewer, conditions })
      return { ...toPage('approvals1', request, placed), totalCount }
    },
  }),
)

const ApprovalUpdate = listUpdate('Approval')
builder.objectField(ApprovalUpdate, 'approval', (t) =>
  t.prismaField({
    type: 'Approval',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database, viewer }) =>
      id === null ? null : database.prisma.approval.findFirst({ ...query, where: inVisibleSession(viewer, id) }),
  }),
)

builder.subscriptionField('approvalUpdates', (t) =>
  t.field({
    type: ApprovalUpdate,
    authScopes: AUTHENTICATED,
    description: `Approvals of sessions that you may see, when they are asked for and when they are settled. ${BEGINS}`,
    subscribe: (_root, _args, context) => context.approvalNotifier.follow(context.viewer),
    resolve: (change) => change,
  }),
)

interface ApprovalFilter {
  readonly status?: readonly ApprovalStatus[] | null | undefined
  readonly sessionId?: string | null | undefined
}

/** In SQL, of a row `c`. */
function approvalConditions(filter: ApprovalFilter | null | undefined, bind: Bind): string[] {
  const { status, sessionId } = filter ?? {}
  return [
    ...(status == null || status.length === 0 ? [] : [`c.status = ANY (${bind(status)}::approval_status[])`]),
    ...(sessionId == null ? [] : [`c.session_id = ${bind(matchable(sessionId))}::text`]),
  ]
}
