/** `promoteLearning`: an admin makes a fact of a pending learning, as it is or in other words. */
import type { Viewer } from '../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../core/refusal.ts'
import { storePromotedLearning, type LearningDecided } from '../../store/knowledge/knowledge-learning.ts'
import { announced, editorOf, type KnowledgeContext } from './knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from './knowledge-text.ts'

export interface PromoteLearningInput {
  readonly id: string
  /** What the fact says; the learning's own words when left out. */
  readonly content?: string | null | undefined
  /** The fact that holds no more; none when left out. */
  readonly replacesFactId?: string | null | undefined
}

export async function promoteLearning(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, content, replacesFactId: replaces = null }: PromoteLearningInput,
): Promise<LearningDecided | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['content'], content))
  if (refusal !== null) return refusal
  if (!isIdOf('learning', id)) return notFound('learning', id)
  if (replaces !== null && !isIdOf('fact', replaces)) return notFound('fact', replaces)
  const promotion = { id, text: content == null ? null : knowledgeText(context, content), replaces }
  return announced(context, await storePromotedLearning(context.database, editorOf(context, viewer), promotion))
}
