/** Mutations by which admins open questions, and people resolve them. The rules are in src/knowledge/admin. */
import { createQuestion } from '../../../knowledge/admin/create-question.ts'
import { resolveQuestion } from '../../../knowledge/admin/resolve-question.ts'
import type { QuestionChanged } from '../../../store/knowledge/knowledge-question.ts'
import type { QuestionOutcome } from '../../../store/knowledge/settle-question.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { QuestionRow } from './question.ts'

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function questionResult(name: string) {
  const payload = builder.objectRef<QuestionChanged>(`${name}Payload`).implement({
    description: 'The question is as asked.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ question: QuestionRow.field(t, ({ questionId }) => questionId, 'The question as it is now.') }),
  })
  return resultUnion(name, payload)
}

const CreateQuestionInput = builder.inputType('CreateQuestionInput', {
  description: 'The question to ask.',
  fields: (t) => ({
    content: t.string({ required: true, description: 'What to ask: 1 to 2000 characters.' }),
    sessionId: t.id({ description: 'The session in which to ask it; all sessions when left out.' }),
  }),
})

builder.mutationField('createQuestion', (t) =>
  t.field({
    type: questionResult('CreateQuestion'),
    authScopes: { admin: true },
    description: 'Has the planner raise something in its next answer. For admins.',
    args: { input: t.arg({ type: CreateQuestionInput, required: true, description: 'The question.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => createQuestion(knowledge, viewer, input),
  }),
)

const QuestionOutcomeEnum = builder.enumType('QuestionOutcome', {
  description: 'What the answer to a question says of the learning and the facts that it is about.',
  values: {
    LEARNING: {
      description:
        'The learning holds: it becomes a fact, in the place of the facts. Of several it is the first; the others wait for a person.',
    },
    FACTS: { description: 'The facts hold: the learning is discarded.' },
    NEITHER: { description: 'Neither holds: the learning is discarded, and the facts go out of use.' },
  } as const satisfies Record<QuestionOutcome, { readonly description: string }>,
})

const ResolveQuestionInput = builder.inputType('ResolveQuestionInput', {
  description: 'The question to close.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The question; it must be OPEN.' }),
    answer: t.string({ description: 'The answer, 1 to 2000 characters; none when left out.' }),
    outcome: t.field({
      type: QuestionOutcomeEnum,
      description:
        'What follows for the learning and the facts that it is about, in the same transaction. When left out, the answer ' +
        'becomes a learning, with who gave it as its user, and is judged as one. For admins.',
    }),
    text: t.string({
      description:
        'With LEARNING, what the fact says, in place of its own words; with NEITHER, a new fact in the place of the others.',
    }),
  }),
})

builder.mutationField('resolveQuestion', (t) =>
  t.field({
    type: questionResult('ResolveQuestion'),
    authScopes: AUTHENTICATED,
    description:
      'Closes an open question, with its answer or because it need not be asked any more, and settles the learning that ' +
      'became it. For admins, for users who take part in its session, and, of a question of all sessions, for those in ' +
      'whose sessions it was put.',
    args: {
      input: t.arg({ type: ResolveQuestionInput, required: true, description: 'The question, and its answer.' }),
    },
    resolve: (_root, { input }, { knowledge, viewer }) => resolveQuestion(knowledge, viewer, input),
  }),
)
