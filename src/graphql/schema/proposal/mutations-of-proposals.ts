/** Mutations by which admins decide about proposals. The rules are in src/knowledge/admin. */
import { acceptProposal, MAX_STEPS, rejectProposal } from '../../../knowledge/admin/decide-proposal.ts'
import type { ProposalDecided } from '../../../store/proposals/decide-proposal.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { ProposalRow } from './proposal.ts'

const PROPOSAL = 'The proposal; it must be WAITING.'

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function proposalResult(name: string) {
  const payload = builder.objectRef<ProposalDecided>(`${name}Payload`).implement({
    description: 'The proposal is decided.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ proposal: ProposalRow.field(t, ({ proposalId }) => proposalId, 'The proposal as it is now.') }),
  })
  return resultUnion(name, payload)
}

const ProposalTextInput = builder.inputType('ProposalTextInput', {
  description: 'What a step is to make its facts say, in place of what is proposed.',
  fields: (t) => ({
    step: t.int({ required: true, description: 'ProposalStep.step; of a MERGE or an EDIT, others are passed over.' }),
    content: t.string({ required: true, description: '1 to 2000 characters.' }),
  }),
})

const AcceptProposalInput = builder.inputType('AcceptProposalInput', {
  description: 'The proposal to accept.',
  fields: (t) => ({
    id: t.id({ required: true, description: PROPOSAL }),
    texts: t.field({
      type: [ProposalTextInput],
      description: `What some of its steps say instead, at most ${MAX_STEPS}; as proposed when left out.`,
    }),
  }),
})

builder.mutationField('acceptProposal', (t) =>
  t.field({
    type: proposalResult('AcceptProposal'),
    authScopes: { admin: true },
    description:
      'Does all that a proposal says, as one change, for undoChange. A conflict, and nothing is done, when it was decided ' +
      'before, when one of its facts was changed since, or when another fact says the same already. For admins.',
    args: {
      input: t.arg({ type: AcceptProposalInput, required: true, description: 'The proposal, and other texts.' }),
    },
    resolve: (_root, { input }, { knowledge, viewer }) => acceptProposal(knowledge, viewer, input),
  }),
)

const RejectProposalInput = builder.inputType('RejectProposalInput', {
  description: 'The proposal to reject.',
  fields: (t) => ({
    id: t.id({ required: true, description: PROPOSAL }),
    reason: t.string({ description: 'Why: at most 2000 characters.' }),
  }),
})

builder.mutationField('rejectProposal', (t) =>
  t.field({
    type: proposalResult('RejectProposal'),
    authScopes: { admin: true },
    description:
      'Leaves all facts of a proposal as they are; the same is not proposed again while they stay so. A conflict when it ' +
      'was decided before. For admins.',
    args: { input: t.arg({ type: RejectProposalInput, required: true, description: 'The proposal, and why.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => rejectProposal(knowledge, viewer, input),
  }),
)
