/** Mutations by which admins open and resolve questions. The rules are in src/knowledge/admin. */
import { createQuestion } from '../../../knowledge/admin/create-question.ts'
import { resolveQuestion } from '../../../knowledge/admin/resolve-question.ts'
import type { QuestionChanged } from '../../../store/knowledge/knowledge-question.ts'
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

const ResolveQuestionInput = builder.inputType('ResolveQuestionInput', {
  description: 'The question to close.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The question; it must be OPEN.' }),
    answer: t.string({ description: 'The answer, 1 to 2000 characters; none when left out.' }),
  }),
})

builder.mutationField('resolveQuestion', (t) =>
  t.field({
    type: questionResult('ResolveQuestion'),
    authScopes: { admin: true },
    description: 'Closes an open question, with its answer or because it need not be asked any more. For admins.',
    args: {
      input: t.arg({ type: ResolveQuestionInput, required: true, description: 'The question, and its answer.' }),
    },
    resolve: (_root, { input }, { knowledge, viewer }) => resolveQuestion(knowledge, viewer, input),
  }),
)
