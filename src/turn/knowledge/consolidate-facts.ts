/**
 * CONSOLIDATING: with more live facts than `knowledge_max_facts`, the summarizer keeps, edits, merges or drops each
 * fact of a batch. What it wants is done only within the rules (judge-consolidation.ts); a result that is refused is
 * audited.
 */
import { applyConsolidation, type ConsolidationResult } from '../../knowledge/apply-consolidation.ts'
import { claimConsolidation } from '../../knowledge/claim-consolidation.ts'
import { judgeConsolidation } from '../../knowledge/judge-consolidation.ts'
import { askAfterwards, type StepOutcome } from '../step-outcome.ts'
import type { TurnContext } from '../turn-context.ts'

type ConsolidateFactsContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database' | 'tellFacts' | 'clock'
>

export async function consolidateFacts(context: ConsolidateFactsContext): Promise<StepOutcome> {
  const { database, agents, clock, config, sessionId, turn } = context
  const batch = await claimConsolidation(database, config.current().settings.knowledgeMaxFacts)
  if (batch === null) return { kind: 'Passed' }
  const answer = await askAfterwards(context, 'CONSOLIDATING', () => agents.consolidate(batch.facts, context.signal))
  if (answer.kind !== 'answered') return answer

  const verdict = judgeConsolidation(batch.facts, answer.output)
  const changes = verdict.kind === 'Accepted' ? verdict.changes : []
  const result: ConsolidationResult = { batch, changes, sessionId, turnId: turn.id, at: clock.now() }
  context.tellFacts(await applyConsolidation(database, result))
  return verdict.kind === 'Accepted' ? { kind: 'Passed' } : refuse(context, verdict.reason)
}

function refuse(
  { journal, clock, sessionId, turn }: Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'clock'>,
  reason: string,
): StepOutcome {
  const body = { kind: 'KNOWLEDGE', subjectId: 'facts', change: 'CONSOLIDATION_REFUSED', reason } as const
  const by = { actor: 'summarizer', tokenName: null }
  journal.record([], { audit: [{ at: clock.now(), sessionId, turnId: turn.id, ...by, body }] })
  return { kind: 'Failed', reason: `The result was refused: ${reason}.` }
}
