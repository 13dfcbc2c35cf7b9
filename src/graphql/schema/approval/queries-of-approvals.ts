/**
 * The query for the approvals of all sessions that the viewer may see, and the subscription to what becomes of them.
 */
import type { ApprovalStatus } from '../../../core/status.ts'
import { ApprovalStatusEnum } from './approval-enums.ts'
import { ApprovalRow } from './approval.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { matchable } from '../values/matchable.ts'
import { countNewest, readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { BEGINS } from '../list-update.ts'

const ApprovalFilterInput = builder.inputType('ApprovalFilter', {
  description: 'Which approvals to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [ApprovalStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session.' }),
  }),
})

builder.queryField('approvals', (t) =>
  t.field({
    type: ApprovalRow.connection,
    authScopes: AUTHENTICATED,
    description:
      'The approvals of the sessions that you may see, newest first. With status PENDING: what waits for a decision.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: ApprovalFilterInput, description: 'Which of them; all when left out.' }),
      oldestFirst: t.arg.boolean({
        description:
          'The other way round: of those that wait, what is denied soonest for want of a decision comes first.',
      }),
    },
    resolve: async (_root, { filter, oldestFirst, ...args }, context, info) => {
      const { database, viewer } = context
      const conditions = (bind: Bind): string[] => approvalConditions(filter, bind)
      const wanted = { table: 'approvals', viewer, conditions, oldestFirst: oldestFirst === true } as const
      const page = await ApprovalRow.ofKeys(
        { cursor: 'approvals1', args, context, info },
        { read: (request) => readNewestPage(database, { ...wanted, request }), position: ({ id }): [string] => [id] },
      )
      return { ...page, totalCount: () => countNewest(database, wanted) }
    },
  }),
)

ApprovalRow.updates('approvalUpdates', {
  authScopes: AUTHENTICATED,
  description: `Approvals of sessions that you may see, when they are asked for and when they are settled. ${BEGINS}`,
  follow: ({ approvalNotifier, viewer }) => approvalNotifier.follow(viewer),
})

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
