/**
 * What follows a turn's answer, each step only when it is due: CURATING, SUMMARIZING, CONSOLIDATING. The user has the
 * answer already, and messages that come meanwhile wait.
 *
 * What must hold: none of this changes how the turn ended. A step that fails is logged, recorded as an event, and
 * changes nothing; a cancel ends the steps at once; what a crash interrupts is found again from its rows, by this turn
 * when it is continued or by the next one.
 */
import { AppError, messageOf } from '../../core/errors.ts'
import { consolidateFacts } from './consolidate-facts.ts'
import { curateLearnings } from './curate-learnings.ts'
import type { KnowledgeStep, StepOutcome } from '../step-outcome.ts'
import { summarizeSession } from './summarize-session.ts'
import { stopped, type Ending, type TurnContext } from '../turn-context.ts'

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
  | 'tellFacts'
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
  return context.signal.aborted && context.signal.reason !== 'CANCELLED' ? stopped(context) : ending
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
  context.journal.record([{ type: 'PipelineStep', step, detail: `failed: ${outcome.reason}` }])
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
