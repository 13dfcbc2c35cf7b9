/**
 * EXEC: runs a task's command. RUNNING is committed before the process starts, so a process that dies leaves the task marked
 * and the command is never silently run again.
 */
import { AppError } from '../core/errors.ts'
import type { Role } from '../core/identity.ts'
import type { TaskPatch } from '../core/turn-write.ts'
import type { CommandInput, CommandOutcome } from '../execution/command.ts'
import { unreachable } from '../platform/must.ts'
import { OutputPieces } from './output-pieces.ts'
import { updateTask, type TaskState } from './plan-state.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { stopped, type TurnContext } from './turn-context.ts'

export async function executeCommand(context: TurnContext, task: TaskState, role: Role): Promise<TaskOutcome> {
  updateTask(context, task, { patch: { status: 'RUNNING', startedAt: context.clock.now() } })
  await context.journal.flushed()

  const pieces = new OutputPieces(context.clock, (stream, text) => {
    context.journal.record([{ type: 'TaskOutput', taskId: task.id, stream, text }])
  })
  const onOutput: Run['onOutput'] = (stream, text) => pieces.add(stream, text)
  const patch = await run(context, { task, role, onOutput }).finally(() => pieces.end())
  if (context.signal.aborted && context.signal.reason !== 'CANCELLED') return stopped(context)
  updateTask(context, task, { patch: { ...patch, finishedAt: context.clock.now() } })
  return context.signal.aborted ? stopped(context) : { kind: 'Passed' }
}

interface Run {
  readonly task: TaskState
  readonly role: Role
  readonly onOutput: CommandInput['onOutput']
}

/** Runs the command and says what to record of it, also when it could not be started or nobody knows how it ended. */
async function run(context: TurnContext, { task, role, onOutput }: Run): Promise<TaskPatch> {
  const { sessionId, commands, config, signal } = context
  const { execTimeoutMs: timeoutMs } = config.current().settings
  try {
    const input = { sessionId, taskId: task.id, command: task.detail, role, timeoutMs, signal, onOutput }
    return patchOf(await commands.run(input), timeoutMs)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    context.logger.error({ code: error.code, error: error.message, taskId: task.id }, 'a command did not run through')
    if (error.code === 'COMMAND_NOT_STARTED') return { status: 'FAILED', stderr: error.message }
    if (error.code === 'COMMAND_LOST') return { status: 'INTERRUPTED', stderr: error.message }
    throw error
  }
}

function patchOf(outcome: CommandOutcome, timeoutMs: number): TaskPatch {
  switch (outcome.kind) {
    case 'exited': {
      const { stdout, stderr, truncated, exitCode } = outcome
      return { status: exitCode === 0 ? 'DONE' : 'FAILED', output: stdout, stderr, truncated, exitCode }
    }
    case 'killed': {
      const { stdout, truncated, cause } = outcome
      const note = cause === 'cancelled' ? 'The command was cancelled.' : KILLED[cause](timeoutMs)
      const stderr = outcome.stderr === '' ? note : `${outcome.stderr}\n${note}`
      return { status: cause === 'cancelled' ? 'CANCELLED' : 'FAILED', output: stdout, stderr, truncated }
    }
    case 'refused':
      return { status: 'FAILED', stderr: outcome.reason }
    case 'unavailable':
      return { status: 'FAILED', stderr: `SANDBOX_UNAVAILABLE: ${outcome.reason} ${outcome.fix}` }
    default:
      return unreachable(outcome)
  }
}

const KILLED: Record<'timeout' | 'memory' | 'disk' | 'output', (timeoutMs: number) => string> = {
  timeout: (timeoutMs) => `The command was ended: it ran longer than ${timeoutMs / 1000} s (exec_timeout).`,
  memory: () => 'The command was ended: it used more memory than the sandbox allows.',
  disk: () => 'The command was ended: the workspace grew beyond its limit.',
  output: () => 'The command was ended: it printed without end.',
}
