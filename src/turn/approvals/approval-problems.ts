/**
 * What approvals have to say of a plan before it is stored: a task that the rules deny, or that was denied in this turn
 * already, is not asked for; the planner gets it as a problem, and makes another plan. Called by makePlan with the
 * rules of a plan.
 */
import { judgeTask } from '../../approvals/judge-task.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { readCommands } from '../../execution/shell/read-commands.ts'
import { mayBeCalled } from '../delegation/may-be-called.ts'
import { taskKey, type CompleteTask } from '../steps/complete-tasks.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

/**
 * One sentence for each task that may not be asked for; none for a user who is no longer configured, whose tasks are
 * refused one by one.
 */
export function approvalProblems(
  context: Pick<TurnContext, 'turn' | 'config' | 'tools' | 'delegated'>,
  tasks: readonly CompleteTask[],
  attempts: readonly PlanState[],
): string[] {
  const config = context.config.current()
  const user = currentUser(config, context.turn.userName)
  if (user === null) return []
  const denied = new Map(
    attempts.flatMap(({ tasks: tried }) => tried.filter(wasDenied)).map((task) => [requestKey(task), task]),
  )
  return tasks.flatMap((task, index) => {
    if (task.type === 'MSG') return []
    const name = `Task ${index + 1} (${task.type.toLowerCase()})`
    if (!mayBeCalled(context, task)) return [`${name} may not be called for this delegated task. ${INSTEAD}`]
    const verdict = judgeTask(
      { ...task, effect: context.tools.tools.get(task.tool ?? '')?.effect ?? 'WRITE' },
      { policy: config.approvals, role: user.role, remembered: [] },
    )
    if (verdict?.effect === 'DENY') return [`${name} may not run: ${verdict.reason}. ${INSTEAD}`]
    const before = denied.get(requestKey(task))
    return before === undefined
      ? []
      : [`${name} was denied in this turn already: ${before.reviewReason ?? ''} ${INSTEAD}`]
  })
}

const INSTEAD = 'Reach the goal without it, or explain to the user in a single msg task what cannot be done and why.'

function wasDenied({ approval }: TaskState): boolean {
  return approval?.kind === 'TASK' && (approval.status === 'DENIED' || approval.status === 'EXPIRED')
}

/** The same for requests that differ in spelling only. */
function requestKey(task: Pick<CompleteTask, 'type' | 'detail' | 'skill' | 'tool' | 'args'>): string {
  return task.type === 'EXEC' ? JSON.stringify(readCommands(task.detail).map(({ words }) => words)) : taskKey(task)
}
