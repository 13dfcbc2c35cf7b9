/** `invalidateFact`: an admin takes a fact out of use. It stays, with its history, and can be restored. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeInvalidatedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf, knowledgeTextIssues, remarkOf } from '../knowledge-text.ts'

export interface InvalidateFactInput {
  readonly id: string
  /** For the history and the audit. */
  readonly reason?: string | null | undefined
}

export async function invalidateFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, reason }: InvalidateFactInput,
): Promise<FactChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['reason'], reason))
  if (refusal !== null) return refusal
  if (!isIdOf('fact', id)) return notFound('fact', id)
  const invalidation = { id, reason: remarkOf(context, reason) }
  return announced(context, await storeInvalidatedFact(context.database, editorOf(context, viewer), invalidation))
}
