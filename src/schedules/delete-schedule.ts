/**
 * `deleteSchedule`: it fires no more, and its runs are forgotten. What runs goes on, and its sessions stay. Called by
 * the GraphQL door.
 */
import type { Viewer } from '../core/identity.ts'
import { notFound, type Refusal } from '../core/refusal.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { idKind } from '../platform/id.ts'
import { removeSchedule } from '../store/schedules/schedule-edit.ts'
import { scheduleEditor } from './schedule-access.ts'

export interface ScheduleDeleted {
  readonly kind: 'ScheduleDeleted'
  readonly scheduleId: string
}

export async function deleteSchedule(
  context: IntakeContext,
  viewer: Viewer,
  id: string,
): Promise<ScheduleDeleted | Refusal> {
  if (idKind(id) !== 'schedule') return notFound('schedule', id)
  const removed = await removeSchedule(context.database, { id, editor: scheduleEditor(context, viewer) })
  if ('kind' in removed) return removed
  context.doorbell.ring({ kind: 'schedule', id, userName: removed.userName })
  return { kind: 'ScheduleDeleted', scheduleId: id }
}
