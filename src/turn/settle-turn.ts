/**
 * How a turn's work ends, before what follows it (tend-knowledge.ts): tasks that have not ended are cancelled, and the
 * user gets a message about a failure. The failure is durable with that message, so that a turn that is continued does
 * not begin anew.
 */
import type { PlanState } from './task/plan-state.ts'
import { endOpenTasks } from './task/update-task.ts'
import { addNotice } from './add-notice.ts'
import { goesOn, type Ending, type TaskContext } from './turn-context.ts'

/** Records; that it is durable is for `finishTurn`. A turn that goes on elsewhere, or later, is left as it stands. */
export function settleTurn(context: TaskContext, attempts: readonly PlanState[], ending: Ending): void {
  if (goesOn(ending)) return
  const plan = attempts.at(-1) ?? null
  if (plan !== null) endOpenTasks(context, plan, 'CANCELLED')
  if (ending.kind !== 'Failed') return
  addNotice(context, plan, ending.failure)
  const { failure, detail = null } = ending
  context.journal.record([], { failure: { text: failure, detail } })
}
