/** `revertFact`: an admin puts a fact back to what it said in an earlier version. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeRevertedFact } from '../../../store/knowledge/undo-change.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'

export interface RevertFactInput {
  readonly id: string
  /** Of its history. */
  readonly version: number
}

export async function revertFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, version }: RevertFactInput,
): Promise<FactChanged | Refusal> {
  if (!isIdOf('fact', id)) return notFound('fact', id)
  return announced(context, await storeRevertedFact(context.database, editorOf(context, viewer), { id, version }))
}
