/**
 * `reviewFact`: an admin has reviewed a fact as they have read it, and lets it stand: a review of a version that is no
 * longer the current one is refused.
 */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeReviewedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'

export interface ReviewFactInput {
  readonly id: string
  /** `Fact.version` as the reviewer has seen it. */
  readonly version: number
}

export async function reviewFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, version }: ReviewFactInput,
): Promise<FactChanged | Refusal> {
  if (!isIdOf('fact', id)) return notFound('fact', id)
  return announced(context, await storeReviewedFact(context.database, editorOf(context, viewer), { id, version }))
}
