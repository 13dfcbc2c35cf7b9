/** Counts for /metrics what a turn has committed: its model calls, and the commands that ended. */
import { countCalls } from '../agents/count-calls.ts'
import type { TurnWrite } from '../core/turn-write.ts'
import type { Metrics } from '../platform/metrics.ts'

export function countWrite(metrics: Metrics, write: TurnWrite): void {
  countCalls(metrics, write.modelCalls ?? [])
  for (const patch of write.taskPatches?.values() ?? []) {
    // Only commands have an exit code; a command without one was killed, refused or never started.
    const ended = patch.status !== undefined && patch.stderr !== undefined
    if (ended)
      metrics.commands.inc({
        outcome: patch.exitCode === undefined ? 'no_exit' : patch.exitCode === 0 ? 'ok' : 'failed',
      })
  }
}
