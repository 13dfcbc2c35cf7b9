/**
 * `updateSchedule`: changes what is given. A new plan (cron, time, zone, or being enabled) counts from now: nothing is
 * made up for, and failures are forgotten. Called by the GraphQL door.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, notFound, refuseInput, type Refusal } from '../core/refusal.ts'
import type { ScheduleMode } from '../core/status.ts'
import { KEY_RULE, textIssues } from '../core/text/text-rule.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { contentIssues } from '../intake/message/message-content.ts'
import { idKind } from '../platform/id.ts'
import { patchSchedule, type SchedulePatch, type StoredSchedule } from '../store/schedules/schedule-edit.ts'
import { redactorFor } from './create-schedule.ts'
import { scheduleEditor, type ScheduleChanged } from './schedule-access.ts'
import { firstRunAt, timingIssues, type ScheduleTiming } from './schedule-timing.ts'
import { ownerGone } from './send-run.ts'

/** Absent or null: as it is. */
export interface UpdateScheduleInput {
  readonly id: string
  readonly name?: string | null | undefined
  readonly content?: string | null | undefined
  /** Takes the place of `runAt`, and the other way round. */
  readonly cron?: string | null | undefined
  readonly runAt?: Date | null | undefined
  readonly timeZone?: string | null | undefined
  readonly mode?: ScheduleMode | null | undefined
  readonly enabled?: boolean | null | undefined
}

export async function updateSchedule(
  context: IntakeContext,
  viewer: Viewer,
  input: UpdateScheduleInput,
): Promise<ScheduleChanged | Refusal> {
  const { id, name, content } = input
  if (idKind(id) !== 'schedule') return notFound('schedule', id)
  const editor = scheduleEditor(context, viewer)
  const textRefusal = refuseInput([
    ...textIssues(['name'], name, KEY_RULE),
    ...(content == null ? [] : contentIssues(content)),
  ])
  if (textRefusal !== null) return textRefusal
  const changed = await patchSchedule(context.database, { id, editor }, (schedule) => {
    const plan = planOf(context, schedule, { input, now: editor.at })
    if ('kind' in plan) return plan
    return { ...plan, ...textsOf(context, input), ...(input.mode == null ? {} : { mode: input.mode }) }
  })
  if ('kind' in changed) return changed
  context.doorbell.ring({ kind: 'schedule', id, userName: changed.userName })
  return { kind: 'ScheduleChanged', scheduleId: id }
}

function textsOf(
  context: IntakeContext,
  { id, name, content }: UpdateScheduleInput,
): Pick<SchedulePatch, 'name' | 'content'> {
  const { redact } = redactorFor(context, id)
  return { ...(name == null ? {} : { name: redact(name) }), ...(content == null ? {} : { content: redact(content) }) }
}

/** What changes about when it fires; `{}` when nothing does. */
function planOf(
  { config }: IntakeContext,
  schedule: StoredSchedule,
  { input, now }: { readonly input: UpdateScheduleInput; readonly now: Date },
): SchedulePatch | Refusal {
  const timing = timingOf(schedule, input)
  const enabled = input.enabled ?? schedule.enabled
  const isSameTime =
    timing.cron === schedule.cron &&
    timing.runAt?.getTime() === schedule.runAt?.getTime() &&
    timing.timeZone === schedule.timeZone
  if (isSameTime && enabled === schedule.enabled) return {}
  // Also when the time is over: nothing is to fire any more.
  if (isSameTime && !enabled) return { enabled, nextRunAt: null }
  const isOver = input.runAt == null && timing.runAt !== null && timing.runAt <= now
  const refusal = refuseInput(isOver ? [{ path: ['runAt'], message: OVER }] : timingIssues(timing, now))
  if (refusal !== null) return refusal
  if (enabled && currentUser(config.current(), schedule.userName) === null)
    return conflict('USER_UNKNOWN', ownerGone(schedule.userName), schedule.id)
  const nextRunAt = enabled ? firstRunAt(timing, now) : null
  return { ...timing, enabled, nextRunAt, failures: 0, lastError: null, pausedReason: null }
}

const OVER = 'must be given anew, or "cron" in its place: the time of this schedule is over'

function timingOf(schedule: StoredSchedule, { cron, runAt, timeZone }: UpdateScheduleInput): ScheduleTiming {
  const zone = timeZone ?? schedule.timeZone
  if (cron == null && runAt == null) return { cron: schedule.cron, runAt: schedule.runAt, timeZone: zone }
  return { cron: cron ?? null, runAt: runAt ?? null, timeZone: zone }
}
