/** `mergeFacts`: an admin replaces several facts by one. */
import type { Viewer } from '../../../core/identity.ts'
import { notFound, refuseInput, type InputIssue, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeMergedFacts } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf, knowledgeText, knowledgeTextIssues } from '../knowledge-text.ts'

export const MAX_MERGED_FACTS = 100

export interface MergeFactsInput {
  readonly ids: readonly string[]
  readonly content: string
}

export async function mergeFacts(
  context: KnowledgeContext,
  viewer: Viewer,
  { ids, content }: MergeFactsInput,
): Promise<FactChanged | Refusal> {
  const refusal = refuseInput([...idsIssues(ids), ...knowledgeTextIssues(['content'], content)])
  if (refusal !== null) return refusal
  const unknown = ids.find((id) => !isIdOf('fact', id))
  if (unknown !== undefined) return notFound('fact', unknown)
  const merge = { ids, text: knowledgeText(context, content) }
  return announced(context, await storeMergedFacts(context.database, editorOf(context, viewer), merge))
}

function idsIssues(ids: readonly string[]): InputIssue[] {
  const path = ['ids']
  if (new Set(ids).size !== ids.length) return [{ path, message: 'must name each fact once' }]
  if (ids.length < 2) return [{ path, message: 'must name at least two facts; to change one, edit it' }]
  if (ids.length <= MAX_MERGED_FACTS) return []
  return [{ path, message: `must name at most ${MAX_MERGED_FACTS} facts, not ${ids.length}` }]
}
