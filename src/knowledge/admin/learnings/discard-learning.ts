/**
 * `discardLearning`: an admin decides that a pending learning is nothing to keep. It stays, so that it is not learned
 * again.
 */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import { storeDiscardedLearning, type LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf, knowledgeTextIssues, remarkOf } from '../knowledge-text.ts'

export interface DiscardLearningInput {
  readonly id: string
  readonly reason?: string | null | undefined
}

export async function discardLearning(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, reason }: DiscardLearningInput,
): Promise<LearningDecided | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['reason'], reason))
  if (refusal !== null) return refusal
  if (!isIdOf('learning', id)) return notFound('learning', id)
  const discard = { id, reason: remarkOf(context, reason) }
  return announced(context, await storeDiscardedLearning(context.database, editorOf(context, viewer), discard))
}
