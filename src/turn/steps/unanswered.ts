/**
 * What it means for the turn that an agent gave no answer. A budget that is used up pauses it: its session is given
 * back at once, without a worker, and it goes on from its rows when there is budget again (src/worker/paused-turns.ts).
 * A provider that is away pauses it for a while. Anything else fails it.
 */
import type { AppError } from '../../core/errors.ts'
import { describeOperatorFailure } from '../../core/operator-failure.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { entryOf } from '../task/audit-task.ts'
import type { Ending, TurnContext } from '../turn-context.ts'
import { outageWait } from './provider-outage.ts'

type UnansweredContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'clock' | 'logger' | 'database' | 'config'
>

/** `failure`: what could not be done, for admins. `changes` are recorded when the turn waits. */
export async function unanswered(
  context: UnansweredContext,
  error: AppError,
  { failure, changes = {} }: { readonly failure: string; readonly changes?: Omit<TurnWrite, 'events' | 'audit'> },
): Promise<Ending> {
  const at = context.clock.now()
  const wait =
    error.code === 'BUDGET_USED_UP'
      ? { reason: error.message, ms: error.retryAfterMs ?? 0 }
      : await outageWait(context, error)
  if (wait === null) {
    const detail = `${failure} ${error.message}`
    return { kind: 'Failed', failure: describeOperatorFailure(error.code, context.turn.id), detail }
  }
  const { reason } = wait
  const until = new Date(at.getTime() + wait.ms)
  context.logger.info({ until, code: error.code }, `the turn waits: ${error.message}`)
  context.journal.record([{ type: 'TurnPaused', reason, until: until.toISOString() }], {
    ...changes,
    audit: [entryOf(context, { kind: 'SESSION', change: 'TURN_PAUSED', detail: reason })],
    pause: { reason, at, until },
  })
  return { kind: 'Paused' }
}
