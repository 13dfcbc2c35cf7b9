/** Mutations by which admins decide about learnings. The rules are in src/knowledge/admin. */
import { askLearning } from '../../../knowledge/admin/learnings/ask-learning.ts'
import { discardLearning } from '../../../knowledge/admin/learnings/discard-learning.ts'
import { promoteLearning } from '../../../knowledge/admin/learnings/promote-learning.ts'
import { reopenLearning } from '../../../knowledge/admin/learnings/reopen-learning.ts'
import type { LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { LearningRow } from './learning.ts'
import { ScopeInputType } from '../fact/mutations-of-scopes.ts'

const LEARNING = 'The learning; no person must have decided about it.'

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function learningResult(name: string) {
  const payload = builder.objectRef<LearningDecided>(`${name}Payload`).implement({
    description: 'The learning is decided; what came of it is its fact or question.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ learning: LearningRow.field(t, ({ learningId }) => learningId, 'The learning as it is now.') }),
  })
  return resultUnion(name, payload)
}

const PromoteLearningInput = builder.inputType('PromoteLearningInput', {
  description: 'The learning to make a fact of.',
  fields: (t) => ({
    id: t.id({ required: true, description: LEARNING }),
    content: t.string({
      description: "What the fact says, 1 to 2000 characters; the learning's own words when left out.",
    }),
    replacesFactId: t.id({
      description:
        'The fact in use that it replaces, in the same transaction: that holds until now, the new one from now.',
    }),
    keepBoth: t.boolean({
      description:
        'True: Learning.replacesFact stays in use beside the new fact, also when `replacesFactId` is another one. While ' +
        'that fact is in use, a promotion needs this or that fact as `replacesFactId`, and is refused as an invalid ' +
        'input without.',
    }),
    scope: t.field({
      type: ScopeInputType,
      description: 'Whom the fact is shown; when left out, as the one that it replaces, else as Learning.scope.',
    }),
  }),
})

builder.mutationField('promoteLearning', (t) =>
  t.field({
    type: learningResult('PromoteLearning'),
    authScopes: { admin: true },
    description:
      'Makes a fact of a learning; of one that would replace a fact in use only in its place, or with `keepBoth`. For admins.',
    args: {
      input: t.arg({
        type: PromoteLearningInput,
        required: true,
        description: 'The learning, and the text of the fact.',
      }),
    },
    resolve: (_root, { input }, { knowledge, viewer }) => promoteLearning(knowledge, viewer, input),
  }),
)

const AskLearningInput = builder.inputType('AskLearningInput', {
  description: 'The learning to make a question of.',
  fields: (t) => ({
    id: t.id({ required: true, description: LEARNING }),
    question: t.string({ required: true, description: 'What to ask: 1 to 2000 characters.' }),
  }),
})

builder.mutationField('askLearning', (t) =>
  t.field({
    type: learningResult('AskLearning'),
    authScopes: { admin: true },
    description: 'Makes a question of a learning: the planner raises it in the session it comes from. For admins.',
    args: { input: t.arg({ type: AskLearningInput, required: true, description: 'The learning, and what to ask.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => askLearning(knowledge, viewer, input),
  }),
)

const DiscardLearningInput = builder.inputType('DiscardLearningInput', {
  description: 'The learning to discard.',
  fields: (t) => ({
    id: t.id({ required: true, description: LEARNING }),
    reason: t.string({ description: 'Why: at most 2000 characters.' }),
  }),
})

builder.mutationField('discardLearning', (t) =>
  t.field({
    type: learningResult('DiscardLearning'),
    authScopes: { admin: true },
    description:
      'Decides that a learning is nothing to keep. It stays on record: the same text is refused from then on. For admins.',
    args: { input: t.arg({ type: DiscardLearningInput, required: true, description: 'The learning, and why.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => discardLearning(knowledge, viewer, input),
  }),
)

const ReopenLearningInput = builder.inputType('ReopenLearningInput', {
  description: 'The learning to decide about anew.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The learning; it must be REFUSED, DISCARDED or ASKED.' }),
  }),
})

builder.mutationField('reopenLearning', (t) =>
  t.field({
    type: learningResult('ReopenLearning'),
    authScopes: { admin: true },
    description:
      'Takes a refusal or a decision about a learning back: it is PENDING again and waits for a person; its question ' +
      'is closed. A conflict when it waits already or is a fact. For admins.',
    args: { input: t.arg({ type: ReopenLearningInput, required: true, description: 'The learning.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => reopenLearning(knowledge, viewer, input),
  }),
)
