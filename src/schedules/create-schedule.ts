/**
 * `createSchedule`: a message that the clock sends from now on, as the user who creates it. Called by the GraphQL door.
 */
import type { Viewer } from '../core/identity.ts'
import { invalidInput, refuseInput, type Refusal } from '../core/refusal.ts'
import type { ScheduleMode } from '../core/status.ts'
import { KEY_RULE, textIssues } from '../core/text/text-rule.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { contentIssues } from '../intake/message/message-content.ts'
import { newId } from '../platform/id.ts'
import { insertSchedule, type ScheduleFields } from '../store/schedules/schedule-edit.ts'
import { scheduleEditor, type ScheduleChanged } from './schedule-access.ts'
import { DEFAULT_TIME_ZONE, firstRunAt, timingIssues } from './schedule-timing.ts'

export const MAX_SCHEDULES = 100

export interface CreateScheduleInput {
  readonly name: string
  readonly content: string
  readonly cron?: string | null | undefined
  readonly runAt?: Date | null | undefined
  readonly timeZone?: string | null | undefined
  readonly mode?: ScheduleMode | null | undefined
  readonly enabled?: boolean | null | undefined
}

export async function createSchedule(
  context: IntakeContext,
  viewer: Viewer,
  input: CreateScheduleInput,
): Promise<ScheduleChanged | Refusal> {
  const { userName, ...editor } = scheduleEditor(context, viewer)
  if (userName === null) return invalidInput([], NO_OWNER)
  const { name, content, cron = null, runAt = null } = input
  const timing = { cron, runAt, timeZone: input.timeZone ?? DEFAULT_TIME_ZONE }
  const issues = [
    ...textIssues(['name'], name, KEY_RULE),
    ...contentIssues(content),
    ...timingIssues(timing, editor.at),
  ]
  const refusal = refuseInput(issues)
  if (refusal !== null) return refusal

  const id = newId('schedule')
  const { redact } = redactorFor(context, id)
  const enabled = input.enabled ?? true
  const fields: ScheduleFields = {
    ...timing,
    name: redact(name),
    content: redact(content),
    mode: input.mode ?? 'DEDICATED',
    enabled,
    nextRunAt: enabled ? firstRunAt(timing, editor.at) : null,
  }
  const created = await insertSchedule(context.database, { ...editor, userName }, { id, fields, limit: MAX_SCHEDULES })
  if (created === null) return tooMany(userName)
  context.doorbell.ring({ kind: 'schedule', id, userName })
  return { kind: 'ScheduleChanged', scheduleId: id }
}

const NO_OWNER =
  'A schedule belongs to a user and runs as that user; this token is of a connector. Use the token of a user.'

function tooMany(userName: string): Refusal {
  return {
    kind: 'LimitExceeded',
    message: `"${userName}" has ${MAX_SCHEDULES} schedules already, which is the limit. Delete one that is not needed.`,
    limit: MAX_SCHEDULES,
    current: MAX_SCHEDULES,
    retryAfterMs: null,
  }
}

/** What this process knows to be secret is not stored with a schedule either. */
export function redactorFor(
  { redactorOf }: Pick<IntakeContext, 'redactorOf'>,
  id: string,
): { readonly redact: (text: string) => string } {
  const redactor = redactorOf(`schedule:${id}`)
  return { redact: (text) => redactor.redact(text) }
}
