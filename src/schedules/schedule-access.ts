/**
 * Whose schedules a caller may see and change: a user their own, an admin all, a connector none, since it acts for no
 * single user. A schedule out of reach is refused like one that does not exist.
 */
import type { Viewer } from '../core/identity.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import type { ScheduleEditor } from '../store/schedules/schedule-edit.ts'

export function scheduleEditor({ clock }: Pick<IntakeContext, 'clock'>, viewer: Viewer): ScheduleEditor {
  const { user, role, tokenName } = viewer
  return { userName: user?.name ?? null, tokenName, all: role === 'ADMIN', at: clock.now() }
}

export interface ScheduleChanged {
  readonly kind: 'ScheduleChanged'
  readonly scheduleId: string
}
