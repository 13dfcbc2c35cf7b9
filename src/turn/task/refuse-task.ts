/** A task that may not run any more: it fails with the reason, and the turn ends. */
import type { TaskState } from './plan-state.ts'
import { updateTask } from './update-task.ts'
import type { Ending, TaskContext } from '../turn-context.ts'

/** `reason`: half a sentence, for people. */
export function refuseTask(context: TaskContext, task: TaskState, reason: string): Ending {
  const failure = `Task ${task.index + 1} was not run: ${reason}.`
  updateTask(context, task, { patch: { status: 'FAILED', stderr: failure, finishedAt: context.clock.now() } })
  return { kind: 'Failed', failure }
}
