/**
 * How messages end that a turn has taken along. They end as the turn does, each with events of its own; but what its
 * user said while a plan ran is not lost when the turn fails: it waits again, and gets a turn of its own.
 */
import type { FinalTurnStatus } from '../core/status.ts'
import type { JoinedEnd } from '../core/turn-write.ts'
import { NO_USAGE } from '../core/usage.ts'
import type { JoinedMessage } from '../store/turn/join-turns.ts'
import type { TurnContext } from './turn-context.ts'

/** How the turn ends that they joined. */
export interface TurnEnd {
  readonly status: FinalTurnStatus
  readonly failure: string | null
  readonly at: Date
}

/** To be recorded together with the turn's own end. */
export function endJoined(context: Pick<TurnContext, 'messages' | 'journal'>, end: TurnEnd): JoinedEnd[] {
  return context.messages.joined.map((message) => {
    const waitsAgain = end.status === 'FAILED' && message.attempt > 0
    if (waitsAgain)
      context.journal.recordFor(message.turnId, [{ type: 'MessageUpdated', messageId: message.messageId }])
    else tellEnd(context, message, end)
    return { turnId: message.turnId, messageId: message.messageId, status: waitsAgain ? 'QUEUED' : end.status }
  })
}

/** What it cost is counted with the turn that it joined. */
function tellEnd(
  { journal }: Pick<TurnContext, 'journal'>,
  { turnId, joinedAt }: JoinedMessage,
  { status, failure, at }: TurnEnd,
): void {
  journal.recordFor(turnId, [
    { type: 'PipelineStep', step: 'COMPLETE', detail: status },
    {
      type: 'TurnCompleted',
      status,
      commandsHandled: [],
      durationMs: Math.max(0, at.getTime() - joinedAt.getTime()),
      usage: NO_USAGE,
      failure,
    },
  ])
}
