/**
 * What plugins are notified of the tasks of a plan, and their verdict on one that is done: a rejection is a review with
 * verdict REPLAN. In a conversation the model is shown the reason in place of the output.
 */
import type { PlanState, TaskState } from '../task/plan-state.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import { taskDataOf, type HookContext } from './hook-data.ts'

/** Called with each plan that is stored, and each task that is added to one. */
export function notifyCreated(context: HookContext, { tasks }: Pick<PlanState, 'tasks'>): void {
  for (const task of tasks) context.plugins.notify('onTaskCreate', () => taskDataOf(context, task))
}

/** Of a text, which has been said by then. */
export function notifySaid(context: HookContext, task: TaskState): void {
  context.plugins.notifyCompleted(() => taskDataOf(context, task))
}

/**
 * Called when a task with an effect has ended, before anything judges it; again after a takeover that comes before the
 * verdict is committed, or when nothing tells that it was (`judgeLeft`). Returns the reason of a
 * rejection, which is recorded; null: none.
 */
export async function judgedByPlugins(
  context: TaskContext & HookContext & Pick<TurnContext, 'signal'>,
  task: TaskState,
): Promise<string | null> {
  const { plugins, signal } = context
  if (task.status === 'FAILED' || task.status === 'INTERRUPTED') {
    plugins.notify('onTaskFailed', () => taskDataOf(context, task))
    return null
  }
  if (task.status !== 'DONE' || !plugins.hooks.wants('onTaskComplete')) return null
  const rejected = await plugins.taskCompleted(taskDataOf(context, task))
  if (rejected === null || signal.aborted) return null
  const reason = `Rejected by the plugin ${rejected.plugin}: ${rejected.reason}`
  updateTask(context, task, {
    patch: { reviewVerdict: 'REPLAN', reviewReason: reason },
    before: [{ type: 'Review', taskId: task.id, verdict: 'REPLAN', reason, learningId: null }],
  })
  return reason
}
