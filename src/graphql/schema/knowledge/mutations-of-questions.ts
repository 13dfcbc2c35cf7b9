/** Mutations by which admins open and resolve questions. The rules are in src/knowledge/admin. */
import { createQuestion } from '../../../knowledge/admin/create-question.ts'
import { resolveQuestion } from '../../../knowledge/admin/resolve-question.ts'
import type { QuestionChanged } from '../../../store/knowledge/knowledge-question.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { questionField } from '../row-fields.ts'

const QuestionPayload = builder.objectRef<QuestionChanged>('QuestionPayload').implement({
  description: 'The question is as asked.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    question: questionField(t),
  }),
})

const QuestionResult = resultUnion('Question', QuestionPayload, ['InvalidInput', 'NotFound', 'Conflict'])

builder.mutationField('createQuestion', (t) =>
  t.field({
    type: QuestionResult,
    authScopes: { admin: true },
    description: 'Has the planner raise something in its next answer. For admins.',
    args: {
      content: t.arg.string({ required: true, description: 'What to ask: 1 to 2000 characters.' }),
      sessionId: t.arg.id({ description: 'The session in which to ask it; all sessions when left out.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => createQuestion(knowledge, viewer, input),
  }),
)

builder.mutationField('resolveQuestion', (t) =>
  t.field({
    type: QuestionResult,
    authScopes: { admin: true },
    description: 'Closes an open question, with its answer or because nobody need ask any more. For admins.',
    args: {
      id: t.arg.id({ required: true, description: 'The question; it must be OPEN.' }),
      answer: t.arg.string({ description: 'The answer, 1 to 2000 characters; none when left out.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => resolveQuestion(knowledge, viewer, input),
  }),
)
