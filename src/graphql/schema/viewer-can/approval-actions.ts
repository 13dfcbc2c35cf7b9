/** Approval.viewerCan. */
import { approvalAbilities } from '../../../approvals/approval-abilities.ts'
import { ApprovalType } from '../approval/approval.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import { stillThere } from '../still-there.ts'
import { actionsType, VIEWER_CAN } from './actions-type.ts'

const ApprovalActions = actionsType('Approval', {
  decide: 'decideApproval.',
  edit: 'decideApproval with "editedDetail" (EXEC) or "editedArgs" (SKILL). A whole plan cannot be edited.',
})

builder.prismaObjectField(ApprovalType, 'viewerCan', (t) =>
  t.field({
    type: ApprovalActions,
    description: VIEWER_CAN,
    args: {
      user: t.arg.string({
        description:
          'Whom it is about, as in decideApproval: a connector names the identity on its platform, or may do nothing; a token of a ' +
          'user may leave it out.',
      }),
    },
    select: { id: true },
    resolve: ({ id }, { user }, context, info) => {
      const { approvals, viewer } = context
      return stillThere(loadAt({ context, info }, id, (ids) => approvalAbilities(approvals, { viewer, user }, ids)))
    },
  }),
)
