/** What the summarizer would make of facts that are alike: it waits for an admin, who decides about all of it. */
import { MAX_STEPS } from '../../../knowledge/admin/decide-proposal.ts'
import { MAX_GROUP } from '../../../knowledge/consolidation/claim-consolidation.ts'
import { proposalStepsSchema, type StoredStep } from '../../../store/proposals/proposal-steps.ts'
import { builder } from '../builder.ts'
import { FactRow } from '../fact/fact.ts'
import { NodeInterface } from '../node.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { upTo } from '../paging/page-sizes.ts'
import { ActorInterface } from '../people/actor.ts'
import { actorNamed } from '../people/to-actor.ts'
import { row } from '../row.ts'

const ADMIN = { admin: true } as const

export type ProposalStatus = 'WAITING' | 'ACCEPTED' | 'REJECTED' | 'UNDONE'

export const ProposalStatusEnum = builder.enumType('ProposalStatus', {
  description: 'What became of a proposal.',
  values: {
    WAITING: { description: 'It waits for an admin.' },
    ACCEPTED: { description: 'An admin accepted it: it is done, as one change.' },
    REJECTED: { description: 'An admin rejected it. The same is not proposed again while its facts stay as they are.' },
    UNDONE: { description: 'It was accepted, and its change was undone since.' },
  } as const satisfies Record<ProposalStatus, { readonly description: string }>,
})

const ProposalOperationEnum = builder.enumType('ProposalOperation', {
  description: 'What a step does to its facts.',
  values: {
    MERGE: { description: 'One fact takes the place of all of them.' },
    EDIT: { description: 'The fact says something else.' },
    DROP: { description: 'The fact goes out of use.' },
  } as const satisfies Record<StoredStep['operation'], { readonly description: string }>,
})

interface Source {
  readonly step: number
  readonly factId: string
  readonly version: number
  readonly content: string
}

const ProposalFact = builder.objectRef<Source>('ProposalFact').implement({
  description: 'A fact that a step is about.',
  authScopes: ADMIN,
  fields: (t) => ({
    fact: FactRow.field(t, ({ factId }) => factId, 'The fact as it is now.'),
    before: t.exposeString('content', { description: 'What it said when this was proposed.' }),
    version: t.exposeInt('version', {
      description: 'The version that it had then; with another one the proposal can no longer be accepted.',
    }),
  }),
})

interface Step extends StoredStep {
  readonly number: number
  readonly sources: readonly Source[]
}

const ProposalStep = builder.objectRef<Step>('ProposalStep').implement({
  description: 'One of the things that a proposal would do.',
  authScopes: ADMIN,
  fields: (t) => ({
    step: t.exposeInt('number', { description: 'For acceptProposal: 0 for the first.' }),
    operation: t.expose('operation', { type: ProposalOperationEnum, description: 'What it does.' }),
    facts: t.field({
      type: [ProposalFact],
      extensions: upTo(MAX_GROUP, 2),
      description: 'The facts before: two at least with MERGE, one otherwise.',
      resolve: ({ sources }) => [...sources],
    }),
    after: t.exposeString('content', { nullable: true, description: 'What the facts say then; null with DROP.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, if the summarizer said so.' }),
  }),
})

export const ProposalType = builder.prismaObject('Proposal', {
  description: 'What the summarizer would make of facts that are alike. An admin decides about it as a whole.',
  authScopes: ADMIN,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "prop_".' }),
    status: t.expose('status', { type: ProposalStatusEnum, description: 'What became of it.' }),
    steps: t.field({
      type: [ProposalStep],
      extensions: upTo(MAX_STEPS),
      description: 'What it would do, or did. No fact is in two of them.',
      select: { steps: true, sources: { orderBy: { factId: 'asc' } } },
      resolve: ({ steps, sources }) =>
        proposalStepsSchema.parse(steps).map((one, number) => {
          return { ...one, number, sources: sources.filter(({ step }) => step === number) }
        }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was proposed.' }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided; null while WAITING.',
    }),
    decidedBy: t.field({
      type: ActorInterface,
      nullable: true,
      description: 'The admin who decided; null while WAITING.',
      select: { decidedBy: true },
      resolve: ({ decidedBy }, _args, { config }) =>
        decidedBy === null ? null : actorNamed(config.current(), decidedBy),
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was rejected, if the admin said so.' }),
    changeId: t.exposeID('changeId', {
      nullable: true,
      description: 'ACCEPTED: all that it did to facts; UNDONE: all that undid it. Hand it to undoChange. Null before.',
    }),
  }),
})

export const ProposalRow = row('Proposal', {
  kind: 'proposal',
  table: (prisma) => prisma.proposal,
  visible: ({ viewer }, id) => (viewer.role === 'ADMIN' ? { id } : { id, AND: { id: '' } }),
  connection: countedConnectionType(ProposalType, 'newest first'),
})
