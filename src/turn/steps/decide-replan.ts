/**
 * REPLANNING: the review gave the plan up. The user gets a message with the reason, what is left of the plan is
 * skipped, and another attempt follows, at most `max_replan_depth` times in a turn. Or the user said more while the
 * plan ran (take-along.ts), which is no failure; nor is it one that a command was interrupted, because the server or
 * its database went away: only deaths are counted then.
 */
import { asSentence } from '../../core/text/as-sentence.ts'
import { diedTooOften } from '../died-too-often.ts'
import { hasFailed, type PlanState } from '../task/plan-state.ts'
import { endOpenTasks } from '../task/update-task.ts'
import { describeCount } from '../take-along.ts'
import type { ReplanWanted } from '../task/task-outcome.ts'
import { isNotice, addNotice } from '../add-notice.ts'
import type { Ending, TaskContext, TurnContext } from '../turn-context.ts'
import { must } from '../../platform/must.ts'

/** Another attempt, or how the turn ends. */
export type ReplanDecision = { readonly kind: 'Replan' } | Ending

/** `attempts` holds those of processes before, too, so a takeover allows no more of them. */
export function decideReplan(
  context: TaskContext & Pick<TurnContext, 'config'>,
  attempts: readonly PlanState[],
  wanted: ReplanWanted,
): ReplanDecision {
  const plan = must(attempts.at(-1), 'there is a plan to give up')
  const { maxReplanDepth } = context.config.current().settings
  endOpenTasks(context, plan, 'SKIPPED')
  const dead = diedTooOften(context)
  if (dead !== null) return dead
  const failed = attempts.filter(hasFailed).length
  if (failed > maxReplanDepth) {
    const tries = `${failed} ${failed === 1 ? 'attempt' : 'attempts'}`
    return { kind: 'Failed', failure: `I gave up after ${tries}. The last one failed${because(wanted.reason)}` }
  }
  context.journal.record([{ type: 'PipelineStep', step: 'REPLANNING', detail: wanted.reason }])
  // A turn that is continued after its process died may have said so already.
  if (!plan.tasks.some(isNotice))
    addNotice(context, plan, `That did not work${because(wanted.reason)} I am trying another way.`)
  return { kind: 'Replan' }
}

function because(reason: string): string {
  const sentence = asSentence(reason)
  return sentence === '' ? '.' : `: ${sentence}`
}

/** Another plan follows, for all that the user has said by now. */
export function breakOff(
  context: TaskContext & Pick<TurnContext, 'messages'>,
  attempts: readonly PlanState[],
): ReplanDecision {
  const plan = must(attempts.at(-1), 'there is a plan to break off')
  endOpenTasks(context, plan, 'SKIPPED')
  const count = describeCount(context.messages.thatBrokeOff(plan.attempt).length)
  const detail = `${context.turn.userName} said more while the plan ran: ${count}.`
  context.journal.record([{ type: 'PipelineStep', step: 'REPLANNING', detail }])
  return { kind: 'Replan' }
}
