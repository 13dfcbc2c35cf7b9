/**
 * A command as a turn would give it to the runner: role ADMIN, a minute of time, nothing said before, unless `given`
 * says otherwise.
 */
import type { CommandInput } from '../../src/execution/command.ts'

export function commandInput(command: string, given: Partial<CommandInput> = {}): CommandInput {
  return {
    sessionId: 'cli:test',
    taskId: 'task_1',
    command,
    role: 'ADMIN',
    timeoutMs: 60_000,
    outputs: { entries: [], files: [], isFirstOfTurn: true },
    signal: new AbortController().signal,
    onOutput: () => {},
    ...given,
  }
}
