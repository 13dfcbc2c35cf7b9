/** Mutations by which people approve or deny, as clients see them. The rules are in src/approvals. */
import {
  decideApproval,
  type ApprovalDecided,
  decideApprovals,
  MAX_DECISIONS,
  type ApprovalsDecided,
} from '../../../approvals/decide-approval.ts'
import { AUTHENTICATED } from '../access.ts'
import { ApprovalScopeEnum } from './approval-enums.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { ApprovalRow } from './approval.ts'

const DecideApprovalPayload = builder.objectRef<ApprovalDecided>('DecideApprovalPayload').implement({
  description: 'It is decided as asked.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    approval: ApprovalRow.field(t, ({ approvalId }) => approvalId, 'The approval as it is now.'),
  }),
})

const DecideApprovalResult = resultUnion('DecideApproval', DecideApprovalPayload)

const DecideApprovalInput = builder.inputType('DecideApprovalInput', {
  description: 'A decision about an approval.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The approval; it must be PENDING.' }),
    approve: t.boolean({ required: true, description: 'True: it may run. False: it may not.' }),
    scope: t.field({
      type: ApprovalScopeEnum,
      description: 'For how long an approval of a task holds; ONCE when left out.',
    }),
    note: t.string({ description: 'For the planner and for people: at most 2000 characters.' }),
    editedDetail: t.string({ description: 'EXEC: approve this command instead. It is checked like a new one.' }),
    editedArgs: t.field({
      type: 'JSON',
      description:
        'SKILL and TOOL: approve these arguments instead. They are checked like new ones; a tool must be described as when this was asked.',
    }),
    user: t.string({
      description: 'Who decides. A connector names the identity on its platform; a token of a user may leave it out.',
    }),
  }),
})

const WHO = 'Admins may, and with own_user_may_decide the user whose message it is.'

builder.mutationField('decideApproval', (t) =>
  t.field({
    type: DecideApprovalResult,
    authScopes: AUTHENTICATED,
    description: `Approves what a turn waits for, or denies it. The first decision stands. ${WHO}`,
    args: { input: t.arg({ type: DecideApprovalInput, required: true, description: 'The decision.' }) },
    resolve: (_root, { input }, { approvals, viewer }) => decideApproval(approvals, viewer, input),
  }),
)

const DecideApprovalsInput = builder.inputType('DecideApprovalsInput', {
  description: 'Several decisions.',
  fields: (t) => ({
    decisions: t.field({
      type: [DecideApprovalInput],
      required: true,
      description: `The decisions, at most ${MAX_DECISIONS}; more are refused as a whole.`,
    }),
  }),
})

const DecideApprovalsPayload = builder.objectRef<ApprovalsDecided>('DecideApprovalsPayload').implement({
  description: 'Each decision was taken or refused by itself.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    results: t.field({
      type: [DecideApprovalResult],
      extensions: upTo(MAX_DECISIONS),
      description: 'One result for each decision, in their order.',
      resolve: ({ outcomes }) => [...outcomes],
    }),
  }),
})

builder.mutationField('decideApprovals', (t) =>
  t.field({
    type: resultUnion('DecideApprovals', DecideApprovalsPayload),
    authScopes: AUTHENTICATED,
    description: `Decides about several approvals. Each stands alone; what is approved is taken before what is denied. ${WHO}`,
    args: { input: t.arg({ type: DecideApprovalsInput, required: true, description: 'The decisions.' }) },
    resolve: (_root, { input }, { approvals, viewer }) => decideApprovals(approvals, viewer, input.decisions),
  }),
)
