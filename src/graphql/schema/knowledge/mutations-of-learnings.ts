/** Mutations by which admins decide about learnings. The rules are in src/knowledge/admin. */
import { askLearning } from '../../../knowledge/admin/ask-learning.ts'
import { discardLearning } from '../../../knowledge/admin/discard-learning.ts'
import { promoteLearning } from '../../../knowledge/admin/promote-learning.ts'
import type { LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { learningField } from '../row-fields.ts'

const LEARNING = 'The learning; it must be PENDING.'

const LearningPayload = builder.objectRef<LearningDecided>('LearningPayload').implement({
  description: 'The learning is decided; what came of it is its fact or question.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    learning: learningField(t),
  }),
})

const LearningResult = resultUnion('Learning', LearningPayload, ['InvalidInput', 'NotFound', 'Conflict'])

builder.mutationField('promoteLearning', (t) =>
  t.field({
    type: LearningResult,
    authScopes: { admin: true },
    description: 'Makes a fact of a learning. For admins.',
    args: {
      id: t.arg.id({ required: true, description: LEARNING }),
      content: t.arg.string({
        description: "What the fact says, 1 to 2000 characters; the learning's own words when left out.",
      }),
    },
    resolve: (_root, input, { knowledge, viewer }) => promoteLearning(knowledge, viewer, input),
  }),
)

builder.mutationField('askLearning', (t) =>
  t.field({
    type: LearningResult,
    authScopes: { admin: true },
    description: 'Makes a question of a learning: the planner raises it in the session it comes from. For admins.',
    args: {
      id: t.arg.id({ required: true, description: LEARNING }),
      question: t.arg.string({ required: true, description: 'What to ask: 1 to 2000 characters.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => askLearning(knowledge, viewer, input),
  }),
)

builder.mutationField('discardLearning', (t) =>
  t.field({
    type: LearningResult,
    authScopes: { admin: true },
    description:
      'Decides that a learning is nothing to keep. It stays on record, so that it is not learned again. For admins.',
    args: {
      id: t.arg.id({ required: true, description: LEARNING }),
      reason: t.arg.string({ description: 'Why: at most 2000 characters.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => discardLearning(knowledge, viewer, input),
  }),
)
