/**
 * CONSOLIDATING: of new facts that are alike to others, the summarizer says for each group what one could make of them.
 * What the rules allow of it (judge-consolidation.ts) is one proposal, which waits for an admin; what they refuse is
 * audited. Nothing is done to any fact.
 */
import { claimConsolidation } from '../../knowledge/consolidation/claim-consolidation.ts'
import { judgeConsolidation, type ProposalStep } from '../../knowledge/consolidation/judge-consolidation.ts'
import { UNUSABLE_ANSWERS } from '../../knowledge/decide-pending.ts'
import { storeProposal } from '../../store/proposals/store-proposal.ts'
import { askAfterwards, type StepOutcome } from '../step-outcome.ts'
import type { TurnContext } from '../turn-context.ts'

type ConsolidateFactsContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database' | 'tellFacts' | 'clock'
>

/**
 * Passed where nothing is due, or another process has claimed it. A call that fails ends the step without a proposal; a
 * group about which there is no usable answer is left as it is.
 */
export async function consolidateFacts(context: ConsolidateFactsContext): Promise<StepOutcome> {
  const { database, agents, clock, sessionId, turn } = context
  const batch = await claimConsolidation(database)
  if (batch === null) return { kind: 'Passed' }
  const { startedAt, lastFactId, groups } = batch
  const steps: ProposalStep[] = []
  const refused: string[] = []
  for (const group of groups) {
    const answer = await askAfterwards(context, 'CONSOLIDATING', () => agents.consolidate(group, context.signal))
    if (answer.kind === 'answered') {
      const judged = judgeConsolidation(group, answer.output)
      steps.push(...judged.steps)
      refused.push(...judged.refused)
    } else if (answer.kind !== 'Failed' || answer.code === undefined || !UNUSABLE_ANSWERS.has(answer.code))
      return answer
    // A group about which there is no usable answer is left as it is.
    else refused.push('there was no usable answer')
  }
  const proposal = { startedAt, lastFactId, steps, sessionId, turnId: turn.id, at: clock.now() }
  const proposalId = await storeProposal(database, proposal)
  if (proposalId !== null) context.tellFacts([proposalId])
  return refused.length === 0 ? { kind: 'Passed' } : refuse(context, refused.join('; '))
}

function refuse(
  { journal, clock, sessionId, turn }: Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'clock'>,
  reason: string,
): StepOutcome {
  const body = { kind: 'KNOWLEDGE', subjectId: 'facts', change: 'CONSOLIDATION_REFUSED', reason } as const
  const by = { actor: 'summarizer', tokenName: null }
  journal.record([], { audit: [{ at: clock.now(), sessionId, turnId: turn.id, ...by, body }] })
  return { kind: 'Failed', reason: `Of the result this was refused: ${reason}.` }
}
