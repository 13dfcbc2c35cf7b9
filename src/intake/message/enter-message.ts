/** What `sendMessage` and `retryTurn` have in common: a message enters for the agent, and its turn with it. */
import type { Sender } from '../../core/identity.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { ConversationType, SessionMode } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import { acceptMessage, type AcceptOptions, type AcceptResult } from '../../store/intake/accept-message.ts'
import type { SessionAccess } from '../../store/intake/intake-access.ts'
import type { IntakeContext } from '../intake-context.ts'
import { announceMessage } from './announce-message.ts'

interface Entering extends Omit<AcceptOptions, 'turn' | 'openingMode'> {
  /** Null: as the session says. */
  readonly mode: SessionMode | null
  readonly sender: Sender
  readonly startsIn: Readonly<Record<ConversationType, boolean>>
}

/** Begins the turn at once where the session is idle and this process has a slot; tells of what was stored. */
export function enterMessage(
  context: IntakeContext,
  access: SessionAccess,
  { sender, startsIn, mode, ...entering }: Entering,
): Promise<AcceptResult> {
  const { settings: limits } = context.config.current()
  const { maxQueued, collectWindowMs } = limits
  const interrupts = sender.trusted && sender.role === 'ADMIN' ? 'ALL' : 'OWN'
  const turn = { id: newId('turn'), maxQueued, startsIn, collectWindowMs, mode, interrupts } as const
  const { message } = entering
  return context.worker.takeWith(message.sessionId, async (starter) => {
    const start = starter === null ? null : { ...starter, limits }
    const accepted = await acceptMessage(context.database, access, {
      ...entering,
      openingMode: limits.defaultMode,
      turn: { ...turn, start },
    })
    announceMessage(context, message, accepted)
    return accepted
  })
}

/** As many messages wait as may. */
export function queueFull({ config }: Pick<IntakeContext, 'config'>, sessionId: string): Refusal {
  const { maxQueued: limit } = config.current().settings
  return {
    kind: 'LimitExceeded',
    message:
      `${limit} messages wait in session "${sessionId}" already, which is the limit. ` +
      'Send again when some of them are done, or withdraw one.',
    limit,
    current: limit,
    retryAfterMs: null,
  }
}
