/**
 * Sends the message of a run, as its owner: trusted, with the owner's present rights. Called when a run has been
 * opened, and again for one whose message is not there: the message's id and key are the run's, so it is in the session
 * once, whichever process dies when.
 */
import { currentUser } from '../config/access/current-user.ts'
import { openerName } from '../config/access/session-access.ts'
import { messagePreview } from '../core/text/message-preview.ts'
import { openerQuota } from '../config/schema/quotas.ts'
import { scheduleClient } from '../core/schedule-client.ts'
import { announceMessage } from '../intake/message/announce-message.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { tooManySessions } from '../intake/session/too-many-sessions.ts'
import { newId } from '../platform/id.ts'
import { acceptMessage, type AcceptResult, type IncomingMessage } from '../store/intake/accept-message.ts'
import type { SessionSource } from '../store/intake/intake-session.ts'
import { markRunSent, type FiringSchedule, type OpenRun } from '../store/schedules/schedule-runs.ts'

export type UnsentRun = Pick<OpenRun, 'runId' | 'sessionId' | 'messageId'>
type SendingSchedule = Pick<FiringSchedule, 'id' | 'userName' | 'tokenName' | 'name' | 'content' | 'timeZone'>

/** Null when it was sent; otherwise why it never will be, for people. Throws when the database cannot be reached. */
export async function sendRun(
  context: IntakeContext,
  schedule: SendingSchedule,
  run: UnsentRun,
): Promise<string | null> {
  const { userName, tokenName } = schedule
  const config = context.config.current()
  const owner = currentUser(config, userName)
  if (owner === null) return ownerGone(userName)
  const message = messageOf(context, schedule, run)
  const { maxQueued } = config.settings
  const turn = {
    id: newId('turn'),
    maxQueued,
    startsIn: { DIRECT: true, GROUP: true },
    // Sent by the clock: its owner types no second message to collect, and does not mean to interrupt a running turn.
    collectWindowMs: 0,
    mode: null,
    interrupts: 'NONE',
  } as const
  const opener = openerName({ user: owner, tokenName })
  const access = { all: owner.role === 'ADMIN', userName, tokenName, opener, mustHaveOpened: false }
  const { sessions: maxSessions } = openerQuota(config, opener)
  const source = sourceOf(schedule.id)
  const opening = {
    openingMode: config.settings.defaultMode,
    named: { description: schedule.name, timeZone: schedule.timeZone },
  }
  const result = await acceptMessage(context.database, access, { message, turn, source, maxSessions, ...opening })
  announceMessage(context, message, result)
  if (result.kind === 'NoQuota') return (await tooManySessions(context, { opener, maxSessions })).message
  const failure = failureOf(result, { maxQueued, userName, sessionId: run.sessionId })
  if (failure === null) await markRunSent(context.database, run.runId)
  return failure
}

export function ownerGone(userName: string): string {
  return (
    `The user "${userName}", as whom it runs, is no longer configured. ` +
    'Delete it, or enable it again once an admin has restored that user.'
  )
}

function messageOf(context: IntakeContext, schedule: SendingSchedule, run: UnsentRun): IncomingMessage {
  const { sessionId, messageId, runId } = run
  const content = context.redactorOf(sessionId).redact(schedule.content)
  const at = context.clock.now()
  return {
    id: messageId,
    sessionId,
    role: 'USER',
    userName: schedule.userName,
    trusted: true,
    mentioned: true,
    content,
    preview: messagePreview(content),
    client: scheduleClient(schedule.id),
    idempotencyKey: `run:${runId}`,
    createdAt: at,
    at,
    joins: true,
    attachments: [],
    call: null,
  }
}

function sourceOf(scheduleId: string): SessionSource {
  return { kind: 'schedule', interactive: false, platform: null, triggerId: scheduleId, type: 'DIRECT' }
}

function failureOf(
  { kind }: AcceptResult,
  { maxQueued, userName, sessionId }: { maxQueued: number; userName: string; sessionId: string },
): string | null {
  if (kind === 'QueueFull')
    return `${maxQueued} messages wait in session "${sessionId}" already, the limit. Withdraw some, or ${USE_FRESH}`
  if (kind === 'NoSession')
    return `The user "${userName}" may not post in session "${sessionId}" any more. Add them to it, or ${USE_FRESH}`
  return null
}

const USE_FRESH = "set the schedule's mode to FRESH: then each run has a session of its own."
