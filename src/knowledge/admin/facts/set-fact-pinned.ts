/** `setFactPinned`: an admin says that models are to leave a fact alone, or that they no longer need to. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storePinnedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'

export interface SetFactPinnedInput {
  readonly id: string
  readonly pinned: boolean
}

export async function setFactPinned(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, pinned }: SetFactPinnedInput,
): Promise<FactChanged | Refusal> {
  if (!isIdOf('fact', id)) return notFound('fact', id)
  return announced(context, await storePinnedFact(context.database, editorOf(context, viewer), { id, pinned }))
}
