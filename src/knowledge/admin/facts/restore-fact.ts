/**
 * `restoreFact`: an admin puts an invalidated fact into use again, whether it was merged away, consolidated or
 * invalidated.
 */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeRestoredFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'

export async function restoreFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id }: { readonly id: string },
): Promise<FactChanged | Refusal> {
  if (!isIdOf('fact', id)) return notFound('fact', id)
  return announced(context, await storeRestoredFact(context.database, editorOf(context, viewer), id))
}
