/**
 * `triggerSchedule`: a run now, as the schedule's owner, whether it is enabled or not. The plan stays as it is, but for
 * a try that a failed run had left (settle-run.ts). Called by the GraphQL door.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { Viewer } from '../core/identity.ts'
import { conflict, notFound, type Refusal } from '../core/refusal.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { idKind } from '../platform/id.ts'
import { openManualRun } from '../store/schedules/schedule-edit.ts'
import { newRun } from './new-run.ts'
import { scheduleEditor } from './schedule-access.ts'
import { ownerGone, sendRun } from './send-run.ts'
import { settleFailedRun } from './settle-run.ts'

export interface ScheduleTriggered {
  readonly kind: 'ScheduleTriggered'
  readonly scheduleId: string
  readonly runId: string
}

/** When this rejects, the run may be open all the same: then the Scheduler sends its message. */
export async function triggerSchedule(
  context: IntakeContext,
  viewer: Viewer,
  id: string,
): Promise<ScheduleTriggered | Refusal> {
  if (idKind(id) !== 'schedule') return notFound('schedule', id)
  const editor = scheduleEditor(context, viewer)
  const opened = await openManualRun(context.database, { id, editor }, (schedule, openRunId) => {
    const refusal = refuseTrigger(context, schedule, openRunId)
    if (refusal !== null) return refusal
    return newRun(schedule, { dueAt: editor.at, at: editor.at, manual: true })
  })
  if ('kind' in opened) return opened
  const { schedule, run } = opened
  context.doorbell.ring({ kind: 'schedule', id, userName: schedule.userName })
  const failure = await sendRun(context, schedule, { ...run, runId: run.id })
  if (failure !== null) await settleFailedRun({ intake: context }, { ...run, runId: run.id, schedule }, failure)
  return { kind: 'ScheduleTriggered', scheduleId: id, runId: run.id }
}

/** Null: a run may be opened now; `openRunId`: the one that is open. */
export function refuseTrigger(
  { config }: Pick<IntakeContext, 'config'>,
  { id, userName }: { readonly id: string; readonly userName: string },
  openRunId: string | null,
): Refusal | null {
  if (openRunId !== null)
    return conflict('BUSY', `Schedule "${id}" runs already (${openRunId}); it runs once at a time.`, openRunId)
  if (currentUser(config.current(), userName) === null) return conflict('USER_UNKNOWN', ownerGone(userName), id)
  return null
}
