/** EXEC: runs a task's command, with the rights of `role` (see src/execution). */
import type { Role } from '../core/identity.ts'
import type { TaskState } from './plan-state.ts'
import { runProgram } from './run-program.ts'
import type { TaskOutcome } from './task-outcome.ts'
import type { TurnContext } from './turn-context.ts'

export function executeCommand(context: TurnContext, task: TaskState, role: Role): Promise<TaskOutcome> {
  return runProgram(context, task, {
    word: 'command',
    start: (frame) => context.commands.run({ ...frame, command: task.detail, role }),
  })
}
