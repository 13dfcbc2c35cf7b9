/**
 * `setFactScopes`: an admin says whom facts are shown, such as everybody what one user has taught. Each fact is a
 * transaction of its own with a result of its own, in the order of the input; together they are one change, which
 * `undoChange` takes back.
 */
import type { Viewer } from '../../../core/identity.ts'
import { invalidInput, notFound, type Refusal } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { storeScopedFact } from '../../../store/knowledge/knowledge-fact.ts'
import { announced, editorOf, type KnowledgeContext } from '../knowledge-context.ts'
import { isIdOf } from '../knowledge-text.ts'
import { readScope, type ScopeInput } from './scope-input.ts'

export const MAX_SCOPED_FACTS = 200

export interface SetFactScopesInput {
  readonly ids: readonly string[]
  readonly scope: ScopeInput
}

export interface FactsScoped {
  readonly kind: 'FactsScoped'
  readonly results: readonly { readonly id: string; readonly result: FactChanged | Refusal }[]
}

/** Nothing is changed, and that is refused, for no facts, too many of them, one twice, or no such scope. */
export async function setFactScopes(
  context: KnowledgeContext,
  viewer: Viewer,
  { ids, scope: input }: SetFactScopesInput,
): Promise<FactsScoped | Refusal> {
  if (ids.length === 0 || ids.length > MAX_SCOPED_FACTS)
    return invalidInput(['ids'], `must be 1 to ${MAX_SCOPED_FACTS}, not ${ids.length}`)
  if (new Set(ids).size < ids.length) return invalidInput(['ids'], 'must name each fact once')
  const scope = await readScope(context, input)
  if ('kind' in scope) return scope
  const editor = editorOf(context, viewer)
  const results: FactsScoped['results'][number][] = []
  for (const id of ids) {
    const result = isIdOf('fact', id)
      ? announced(context, await storeScopedFact(context.database, editor, { id, scope }))
      : notFound('fact', id)
    results.push({ id, result })
  }
  return { kind: 'FactsScoped', results }
}
