/** `resolveQuestion`: an admin closes an open question, with its answer or because it needs none any more. */
import type { Viewer } from '../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { storeResolvedQuestion, type QuestionChanged } from '../../store/knowledge/knowledge-question.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { isIdOf, knowledgeTextIssues, remarkOf } from './knowledge-text.ts'

export interface ResolveQuestionInput {
  readonly id: string
  readonly answer?: string | null | undefined
}

export async function resolveQuestion(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, answer }: ResolveQuestionInput,
): Promise<QuestionChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['answer'], answer))
  if (refusal !== null) return refusal
  if (!isIdOf('question', id)) return notFound('question', id)
  const resolution = { id, answer: remarkOf(context, answer) }
  return announced(context, await storeResolvedQuestion(context.database, editorOf(context, viewer), resolution))
}
