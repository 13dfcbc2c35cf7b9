/** `reopenLearning`: an admin takes a refusal or a decision about a learning back; it waits for a person again. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, type Refusal } from '../../../core/refusal.ts'
import { storeReopenedLearning, type LearningDecided } from '../../../store/knowledge/knowledge-learning.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'

export async function reopenLearning(
  context: KnowledgeContext,
  viewer: Viewer,
  { id }: { readonly id: string },
): Promise<LearningDecided | Refusal> {
  if (!isIdOf('learning', id)) return notFound('learning', id)
  return announced(context, await storeReopenedLearning(context.database, editorOf(context, viewer), id))
}
