/**
 * What follows a turn's answer, each step only when it is due: CURATING, SUMMARIZING, CONSOLIDATING. The user has the
 * answer already, and messages that come meanwhile wait.
 *
 * What must hold: none of this changes how the turn ended. A step that fails is logged, recorded as an event, and
 * changes nothing; a cancel ends the steps at once; what a crash interrupts is found again from its rows, by this turn
 * when it is continued or by the next one. What the curator has not judged is judged by a job of the session.
 */
import { AppError, messageOf } from '../../core/errors.ts'
import { curateLearnings } from './curate-learnings.ts'
import { type KnowledgeStep, type StepOutcome, askAfterwards } from '../step-outcome.ts'
import { isTakenAway, stopped, type Ending, type TurnContext } from '../turn-context.ts'
import { BYTES_PER_TOKEN, summarisedChars } from '../../core/dialogue.ts'
import { loadUnsummarised } from '../../knowledge/load-unsummarised.ts'
import { claimConsolidation } from '../../knowledge/consolidation/claim-consolidation.ts'
import { judgeConsolidation, type ProposalStep } from '../../knowledge/consolidation/judge-consolidation.ts'
import { UNUSABLE_ANSWERS } from '../../knowledge/decide-pending.ts'
import { storeProposal } from '../../store/proposals/store-proposal.ts'

type TendKnowledgeContext = Pick<
  TurnContext,
  | 'sessionId'
  | 'turn'
  | 'journal'
  | 'signal'
  | 'agents'
  | 'config'
  | 'database'
  | 'due'
  | 'notifyFacts'
  | 'clock'
  | 'logger'
  | 'secrets'
  | 'meaningOf'
>

/** Returns `ending`, unless the turn has to go on elsewhere. */
export async function tendKnowledge(context: TendKnowledgeContext, ending: Ending): Promise<Ending> {
  if (ending.kind !== 'Done' && ending.kind !== 'Failed') return ending
  const due = context.due.list
  if (due.curation) await attempt(context, 'CURATING', curateLearnings)
  if (due.summary) await attempt(context, 'SUMMARIZING', summarizeSession)
  if (due.consolidation) await attempt(context, 'CONSOLIDATING', consolidateFacts)
  return isTakenAway(context) ? stopped(context) : ending
}

type StepContext = Omit<TendKnowledgeContext, 'due'>

async function attempt(
  context: StepContext,
  step: KnowledgeStep,
  run: (context: StepContext) => Promise<StepOutcome>,
): Promise<void> {
  if (context.signal.aborted) return
  const outcome = await outcomeOf(context, run)
  if (outcome.kind !== 'Failed') return
  context.logger.warn({ step, reason: outcome.detail ?? outcome.reason }, 'a step after the answer failed')
  const job = step === 'CURATING' ? ({ curationDue: true } as const) : {}
  context.journal.record([{ type: 'PipelineStep', step, detail: `failed: ${outcome.reason}` }], job)
}

/**
 * A bug in what follows the answer must not fail the turn. When the database is gone the turn breaks off, as anywhere.
 */
async function outcomeOf(
  context: StepContext,
  run: (context: StepContext) => Promise<StepOutcome>,
): Promise<StepOutcome> {
  try {
    return await run(context)
  } catch (error) {
    if (error instanceof AppError) throw error
    context.logger.error({ err: error }, 'a bug ended a step after the answer')
    return {
      kind: 'Failed',
      reason: `The server made an error (reference ${context.turn.id}).`,
      detail: messageOf(error),
    }
  }
}

type SummarizeSessionContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database'
>

/**
 * SUMMARIZING: the summary so far and the oldest messages with their answers become the new summary. It is written with
 * its watermark, the seq of the last message in it, and only if it continues the summary that was read; a failed call
 * changes nothing, and the same messages come again with the next turn.
 * Passed where there is too little to summarise.
 */
async function summarizeSession(context: SummarizeSessionContext): Promise<StepOutcome> {
  const { database, journal, agents, config, sessionId, turn } = context
  // The turn's own answer must be in the rows that are read.
  await journal.flushed()
  const { contextMessages: keepLast, contextTokens } = config.current().settings
  // Of what agents are shown half, or the next message would be summarised at once.
  const keepBytes = (contextTokens * BYTES_PER_TOKEN) / 2
  const maxChars = summarisedChars(contextTokens)
  const batch = await loadUnsummarised(database, { sessionId, seq: turn.seq, keepLast, keepBytes, maxChars })
  if (batch === null) return { kind: 'Passed' }

  const { summary, messages, fromSeq, toSeq } = batch
  const answer = await askAfterwards(context, 'SUMMARIZING', () =>
    agents.summarize({ summary, messages }, context.signal),
  )
  if (answer.kind !== 'answered') return answer
  if (answer.output.trim() === '') return { kind: 'Failed', reason: 'The summary is empty.' }
  journal.record([], { summary: { text: answer.output, fromSeq, toSeq } })
  return { kind: 'Passed' }
}

type ConsolidateFactsContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database' | 'notifyFacts' | 'clock'
>

/**
 * CONSOLIDATING: of new facts that are alike to others, the summarizer says for each group what one could make of them.
 * What the rules allow of it (judge-consolidation.ts) is one proposal, which waits for an admin; what they refuse is
 * audited. Nothing is done to any fact.
 * Passed where nothing is due, or another process has claimed it. A call that fails ends the step without a proposal; a
 * group about which there is no usable answer is left as it is.
 */
async function consolidateFacts(context: ConsolidateFactsContext): Promise<StepOutcome> {
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
  if (proposalId !== null) context.notifyFacts([proposalId])
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
