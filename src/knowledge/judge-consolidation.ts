/**
 * Whether what the summarizer wants to make of a batch of facts may be done. Pure. The rules of spec 6 keep a model
 * from wiping what is known: the result is neither empty, nor longer than the input, nor below 30 % of its entries.
 */
import type { Consolidation } from '../agents/agent.ts'
import { normalText } from '../core/text/normal-text.ts'
import { unfitText } from './unfit-text.ts'

export interface BatchFact {
  readonly id: string
  readonly content: string
  readonly version: number
}

export type ConsolidationVerdict =
  /** What is to be done; facts that are kept are not in it. */
  | { readonly kind: 'Accepted'; readonly changes: readonly Exclude<Consolidation, { operation: 'KEEP' }>[] }
  | { readonly kind: 'Refused'; readonly reason: string }

const MIN_SHARE_LEFT = 0.3

export function judgeConsolidation(
  facts: readonly BatchFact[],
  consolidations: readonly Consolidation[],
): ConsolidationVerdict {
  const contents = new Map(facts.map(({ id, content }) => [id, content]))
  const named = consolidations.flatMap(idsOf)
  if (named.length !== facts.length || new Set(named).size !== facts.length || !named.every((id) => contents.has(id)))
    return refused('it does not name each fact exactly once')
  const left = consolidations.flatMap((one) => textsOf(one, contents))
  if (left.length === 0) return refused('it leaves no fact')
  if (left.length < facts.length * MIN_SHARE_LEFT)
    return refused(`it leaves ${left.length} of ${facts.length} facts, less than 30 %`)
  if (lengthOf(left) > lengthOf(contents.values())) return refused('it is longer than the facts were')
  if (new Set(left.map(normalText)).size < left.length) return refused('two of its texts say the same')
  const changes = consolidations.filter((one) => one.operation !== 'KEEP')
  for (const change of changes) {
    const problem = 'content' in change ? unfitText(change.content) : null
    if (problem !== null) return refused(`one of its texts must not be kept: ${problem}`)
  }
  return { kind: 'Accepted', changes }
}

function refused(reason: string): ConsolidationVerdict {
  return { kind: 'Refused', reason }
}

function idsOf(consolidation: Consolidation): readonly string[] {
  return consolidation.operation === 'MERGE' ? consolidation.factIds : [consolidation.factId]
}

/** What is left of the facts that it names. */
function textsOf(consolidation: Consolidation, contents: ReadonlyMap<string, string>): string[] {
  if (consolidation.operation === 'DROP') return []
  return [consolidation.operation === 'KEEP' ? (contents.get(consolidation.factId) ?? '') : consolidation.content]
}

function lengthOf(texts: Iterable<string>): number {
  return [...texts].reduce((sum, text) => sum + text.length, 0)
}
