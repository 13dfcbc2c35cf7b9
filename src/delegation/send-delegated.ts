/**
 * The message of a round enters the child's session, as the user whose turn delegated, with their present rights; the
 * first opens it.
 */
import { currentUser } from '../config/access/current-user.ts'
import { openerName } from '../config/access/session-access.ts'
import { openerQuota } from '../config/schema/quotas.ts'
import { childIdOf } from '../core/tool/delegated.ts'
import { messagePreview } from '../core/text/message-preview.ts'
import { announceMessage } from '../intake/message/announce-message.ts'
import { tooManySessions } from '../intake/session/too-many-sessions.ts'
import { newId } from '../platform/id.ts'
import type { OpenDelegation } from '../store/delegations/delegation-rows.ts'
import { acceptMessage, type IncomingMessage } from '../store/intake/accept-message.ts'
import { placeOfTurn, spanIdOfTask } from '../telemetry/trace-parent.ts'
import type { DelegatorContext } from './delegator-context.ts'

const MAX_DESCRIPTION_CHARS = 100

/** Null when it is there; otherwise why it never will be, for people. Throws when the database cannot be reached. */
export async function sendDelegated(context: DelegatorContext, delegation: OpenDelegation): Promise<string | null> {
  const { userName, tokenName, round } = delegation
  const config = context.config.current()
  const user = currentUser(config, userName)
  if (user === null) return `The user "${userName}", as whom it runs, is no longer configured.`
  const { maxQueued, timeZone } = config.settings
  const opener = openerName({ user, tokenName })
  const { sessions: maxSessions } = openerQuota(config, opener)
  const access = { all: user.role === 'ADMIN', userName, tokenName, opener, mustHaveOpened: false }
  const message = messageOf(context, delegation)
  const accepted = await acceptMessage(context.database, access, {
    message,
    turn: {
      id: newId('turn'),
      maxQueued,
      startsIn: { DIRECT: true, GROUP: true },
      collectWindowMs: 0,
      mode: delegation.mode,
      interrupts: 'NONE',
    },
    source: { kind: 'delegation', interactive: false, platform: null, triggerId: delegation.id, type: 'DIRECT' },
    mayOpen: round === 1,
    maxSessions,
    openingMode: delegation.mode,
    named: { description: descriptionOf(delegation.task), timeZone: delegation.timeZone ?? timeZone },
  })
  announceMessage(context, message, accepted)
  if (accepted.kind === 'NoQuota') return (await tooManySessions(context, { opener, maxSessions })).message
  if (accepted.kind === 'QueueFull') return `${maxQueued} messages wait in its session already.`
  return accepted.kind === 'NoSession' ? 'Its session was deleted, or is closed to its user.' : null
}

function descriptionOf(task: string): string {
  return task.replaceAll(/\s+/g, ' ').slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()
}

function messageOf(context: DelegatorContext, delegation: OpenDelegation): IncomingMessage {
  const { id, round, turnId, taskId, trace, messageId, userName, tokenName, task, expect, feedback } = delegation
  const sessionId = childIdOf(id)
  const text =
    round === 1
      ? `${task}\n\nWhat the result must be: ${expect}`
      : `Your answer does not do yet: ${feedback ?? ''}\n\nAnswer again, as a whole. What the result must be: ${expect}`
  const content = context.redactorOf(sessionId).redact(text)
  const at = context.clock.now()
  return {
    id: messageId,
    sessionId,
    role: 'USER',
    userName,
    trusted: true,
    mentioned: true,
    content,
    preview: messagePreview(content),
    client: tokenName,
    idempotencyKey: `${id}:${round}`,
    createdAt: at,
    at,
    joins: true,
    attachments: [],
    call: null,
    trace: context.tracing.traceFrom(placeOfTurn(turnId, trace), spanIdOfTask(taskId)),
  }
}
