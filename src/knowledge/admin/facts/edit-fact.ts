/**
 * `editFact`: an admin rewrites a fact as they have read it: an edit of a version that is no longer the current one is
 * refused.
 */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeEditedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from '../knowledge-text.ts'

export interface EditFactInput {
  readonly id: string
  readonly content: string
  /** `Fact.version` as the editor has seen it. */
  readonly version: number
}

export async function editFact(
  context: KnowledgeContext,
  viewer: Viewer,
  { id, content, version }: EditFactInput,
): Promise<FactChanged | Refusal> {
  const refusal = refuseInput(knowledgeTextIssues(['content'], content))
  if (refusal !== null) return refusal
  if (!isIdOf('fact', id)) return notFound('fact', id)
  const edit = { id, version, text: knowledgeText(context, content) }
  return announced(context, await storeEditedFact(context.database, editorOf(context, viewer), edit))
}
