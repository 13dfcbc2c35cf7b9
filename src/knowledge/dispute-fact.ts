/** `disputeFact`: a user says that a fact is wrong. It stays in use; a question about it is put to admins. */
import type { Viewer } from '../core/identity.ts'
import { conflict, notFound, refuseInput, type Refusal } from '../core/refusal.ts'
import type { FactChanged } from '../store/knowledge/fact-change.ts'
import { storeDisputedFact } from '../store/knowledge/knowledge-question.ts'
import { announced, editorOf, type KnowledgeContext } from './admin/knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from './admin/knowledge-text.ts'

export interface DisputeFactInput {
  readonly id: string
  readonly reason: string
}

/** The caller has made sure that the viewer is shown the fact. */
export async function disputeFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, reason }: DisputeFactInput,
): Promise<FactChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['reason'], reason))
  if (refusal !== null) return refusal
  if (!isIdOf('fact', id)) return notFound('fact', id)
  if (viewer.user === null) return conflict('NOT_ALLOWED', 'Only a user may say so, not a connector.', id)
  const dispute = { factId: id, reason: knowledgeText(context, reason).content }
  return announced(context, await storeDisputedFact(context.database, editorOf(context, viewer), dispute))
}
