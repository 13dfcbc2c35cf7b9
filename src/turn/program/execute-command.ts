/** EXEC: runs a task's command, with the rights of `role` (see src/execution). */
import type { Role } from '../../core/identity.ts'
import { outputsBefore } from './outputs-before.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { runProgram } from './run-program.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

/** A task of type EXEC with its plan. */
export interface CommandTask {
  readonly plan: PlanState
  readonly task: TaskState
  /** As configured now. */
  readonly role: Role
}

type ExecuteCommandContext = TaskContext &
  Pick<TurnContext, 'signal' | 'commands' | 'config' | 'home' | 'publicUrl' | 'database' | 'logger'>

/** As `runProgram`; the command may read what the tasks before it have put out. */
export function executeCommand(
  context: ExecuteCommandContext,
  { plan, task, role }: CommandTask,
): Promise<TaskOutcome> {
  const outputs = outputsBefore(context, plan, task)
  return runProgram(context, task, {
    word: 'command',
    role,
    mayHoldSecrets: role === 'ADMIN',
    start: (frame) => context.commands.run({ ...frame, command: task.detail, role, outputs }),
  })
}
