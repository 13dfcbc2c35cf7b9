/**
 * What it means for the turn that an agent gave no answer. A budget that is used up pauses it: its session is given
 * back at once, without a worker, and it goes on from its rows when there is budget again (src/worker/paused-turns.ts).
 * Anything else fails it.
 */
import type { AppError } from '../../core/errors.ts'
import { describeOperatorFailure } from '../../core/operator-failure.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { entryOf } from '../audit-task.ts'
import type { Ending, TurnContext } from '../turn-context.ts'

type UnansweredContext = Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'clock' | 'logger'>

/** `failure`: what could not be done, for admins. `changes` are recorded when the turn waits. */
export function unanswered(
  context: UnansweredContext,
  error: AppError,
  { failure, changes = {} }: { readonly failure: string; readonly changes?: Omit<TurnWrite, 'events' | 'audit'> },
): Ending {
  if (error.code !== 'BUDGET_USED_UP') {
    const detail = `${failure} ${error.message}`
    return { kind: 'Failed', failure: describeOperatorFailure(error.code, context.turn.id), detail }
  }
  const at = context.clock.now()
  const reason = error.message
  const until = new Date(at.getTime() + (error.retryAfterMs ?? 0))
  context.logger.info({ until }, `the turn waits: ${reason}`)
  context.journal.record([{ type: 'TurnPaused', reason, until: until.toISOString() }], {
    ...changes,
    audit: [entryOf(context, { kind: 'SESSION', change: 'TURN_PAUSED', detail: reason })],
    pause: { reason, at, until },
  })
  return { kind: 'Paused' }
}
