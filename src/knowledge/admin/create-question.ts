/** `createQuestion`: an admin has the planner raise something, in one session or, without one, in every session. */
import type { Viewer } from '../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { isSessionId } from '../../core/session/session-id.ts'
import { storeCreatedQuestion, type QuestionChanged } from '../../store/knowledge/knowledge-question.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { knowledgeText, knowledgeTextIssues } from './knowledge-text.ts'

export interface CreateQuestionInput {
  readonly content: string
  readonly sessionId?: string | null | undefined
}

export async function createQuestion(
  context: KnowledgeContext,
  viewer: Viewer,
  { content, sessionId }: CreateQuestionInput,
): Promise<QuestionChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['content'], content))
  if (refusal !== null) return refusal
  if (sessionId != null && !isSessionId(sessionId)) return notFound('session', sessionId)
  const question = { text: knowledgeText(context, content), sessionId: sessionId ?? null }
  return announced(context, await storeCreatedQuestion(context.database, editorOf(context, viewer), question))
}
