/** The mutation by which admins decide about many learnings. The rules are in src/knowledge/admin. */
import {
  decideLearnings,
  MAX_DECISIONS,
  type LearningsDecided,
  type LearningVerdict,
} from '../../../knowledge/admin/learnings/decide-learnings.ts'
import type { LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { LearningRow } from './learning.ts'
import { ScopeInputType } from '../fact/mutations-of-scopes.ts'

const LearningVerdictEnum = builder.enumType('LearningVerdict', {
  description: 'What to decide about a learning.',
  values: {
    PROMOTE: { description: 'As promoteLearning; `text` is what the fact says, by default its own words.' },
    ASK: { description: 'As askLearning; `text` is what to ask.' },
    DISCARD: { description: 'As discardLearning; `text` is why.' },
    REOPEN: { description: 'As reopenLearning.' },
  } as const satisfies Record<LearningVerdict, { readonly description: string }>,
})

const LearningDecisionInput = builder.inputType('LearningDecisionInput', {
  description: 'What to decide about one learning.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The learning.' }),
    verdict: t.field({ type: LearningVerdictEnum, required: true, description: 'What becomes of it.' }),
    factId: t.id({ description: 'PROMOTE: the fact that it replaces.' }),
    keepBoth: t.boolean({
      description: 'PROMOTE: the fact that it would replace stays in use beside it, as in promoteLearning.',
    }),
    scope: t.field({ type: ScopeInputType, description: 'PROMOTE: whom the fact is shown, as in promoteLearning.' }),
    text: t.string({ description: 'What the verdict says of it: at most 2000 characters.' }),
  }),
})

const DecideLearningsInput = builder.inputType('DecideLearningsInput', {
  description: 'The decisions.',
  fields: (t) => ({
    decisions: t.field({
      type: [LearningDecisionInput],
      required: true,
      description: `1 to ${MAX_DECISIONS}, each about another learning.`,
    }),
  }),
})

const DecideLearningPayload = builder.objectRef<LearningDecided>('DecideLearningPayload').implement({
  description: 'The learning is decided.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ learning: LearningRow.field(t, ({ learningId }) => learningId, 'The learning as it is now.') }),
})
const DecideLearningResult = resultUnion('DecideLearning', DecideLearningPayload)

const LearningDecisionType = builder.objectRef<LearningsDecided['results'][number]>('LearningDecision').implement({
  description: 'What came of one of many decisions.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    learningId: t.exposeID('id', { description: 'The learning, as the input names it.' }),
    result: t.field({
      type: DecideLearningResult,
      description: 'The learning as it is now, or why it was refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

const DecideLearningsPayload = builder.objectRef<LearningsDecided>('DecideLearningsPayload').implement({
  description: 'What came of each decision.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    results: t.field({
      type: [LearningDecisionType],
      extensions: ALL_STORED,
      description: 'In the order of the input, one for each.',
      resolve: ({ results }) => [...results],
    }),
  }),
})

builder.mutationField('decideLearnings', (t) =>
  t.field({
    type: resultUnion('DecideLearnings', DecideLearningsPayload),
    authScopes: { admin: true },
    description:
      'Decides about many learnings, one after the other: each is decided or refused for itself. Repeated after a ' +
      'connection broke, what was decided is a conflict. For admins.',
    args: { input: t.arg({ type: DecideLearningsInput, required: true, description: 'The decisions.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => decideLearnings(knowledge, viewer, input.decisions),
  }),
)
