/**
 * `askLearning`: an admin makes a question of a pending learning; the planner raises it in the session it comes from.
 */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import { storeAskedLearning, type LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from '../knowledge-text.ts'

export interface AskLearningInput {
  readonly id: string
  readonly question: string
}

export async function askLearning(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, question }: AskLearningInput,
): Promise<LearningDecided | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['question'], question))
  if (refusal !== null) return refusal
  if (!isIdOf('learning', id)) return notFound('learning', id)
  const asked = { id, text: knowledgeText(context, question) }
  return announced(context, await storeAskedLearning(context.database, editorOf(context, viewer), asked))
}
