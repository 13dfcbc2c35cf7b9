/**
 * What of that which the summarizer wants to make of facts that are alike may be proposed. Pure. Each step stands for
 * itself: a text keeps the names, numbers, narrowing words and negations of its sources and has no others
 * (lost-substance.ts, other-substance.ts); what is dropped leaves another fact of its group in use. What is refused is
 * left out of the proposal.
 */
import type { Consolidation } from '../../agents/agent.ts'
import { must } from '../../platform/must.ts'
import { normalText } from '../../core/text/normal-text.ts'
import { otherSubstance } from '../learnings/other-substance.ts'
import { unfitText } from '../unfit-text.ts'
import { areMixed, lostSubstance } from './lost-substance.ts'

/** A fact as the summarizer was shown it. */
export interface SeenFact {
  readonly id: string
  readonly content: string
  readonly version: number
}

/** What one step of a proposal does to its facts, as it is stored. */
export interface ProposalStep {
  readonly operation: 'MERGE' | 'EDIT' | 'DROP'
  readonly facts: readonly SeenFact[]
  /** What the facts say then; null with DROP. */
  readonly content: string | null
  /** Why; null where the text says it. */
  readonly reason: string | null
}

/** What may be proposed, and why the rest may not, a clause for each. */
export interface JudgedConsolidation {
  readonly steps: readonly ProposalStep[]
  readonly refused: readonly string[]
}

/** Of one group: `consolidations` name each of its facts once (agents/consolidator/output.ts). */
export function judgeConsolidation(
  group: readonly SeenFact[],
  consolidations: readonly Consolidation[],
): JudgedConsolidation {
  const known = new Map(group.map((fact) => [fact.id, fact]))
  const wanted = consolidations.filter((one) => one.operation !== 'KEEP')
  const dropped = wanted.filter(({ operation }) => operation === 'DROP').length
  const steps: ProposalStep[] = []
  const refused: string[] = []
  for (const one of wanted) {
    const step = toStep(one, known)
    const problem = step.content === null ? droppingAll(dropped, group) : problemOf(step, step.content)
    if (problem === null) steps.push(step)
    else refused.push(problem)
  }
  const texts = steps.flatMap(({ content }) => (content === null ? [] : [normalText(content)]))
  return new Set(texts).size === texts.length
    ? { steps, refused }
    : { steps: [], refused: [...refused, 'two of its texts say the same'] }
}

type Change = Exclude<Consolidation, { operation: 'KEEP' }>

function toStep(change: Change, known: ReadonlyMap<string, SeenFact>): ProposalStep {
  const ids = change.operation === 'MERGE' ? change.factIds : [change.factId]
  const facts = ids.map((id) => must(known.get(id), 'a fact of the group'))
  return change.operation === 'DROP'
    ? { operation: 'DROP', facts, content: null, reason: change.reason }
    : { operation: change.operation, facts, content: change.content, reason: null }
}

function droppingAll(dropped: number, group: readonly SeenFact[]): string | null {
  return dropped < group.length ? null : 'it leaves no fact'
}

function problemOf({ operation, facts }: ProposalStep, content: string): string | null {
  const sources = facts.map((fact) => fact.content)
  const unfit = unfitText(content)
  if (unfit !== null) return `one of its texts must not be kept: ${unfit}`
  if (operation === 'EDIT' && sources.includes(content)) return 'it edits nothing'
  if (areMixed(sources)) return 'some of the facts that it merges are negated, others are not'
  return lostSubstance(sources, content) ?? otherSubstance(sources.join('. '), content)
}
