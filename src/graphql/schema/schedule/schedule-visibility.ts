/**
 * Which schedules a viewer may see: admins all, a user their own, a connector none. The same rule as in src/schedules.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { matchable } from '../values/matchable.ts'

/** The condition on schedules. `{}` means all of them. */
export function visibleSchedules({ role, user }: Viewer): Prisma.ScheduleWhereInput {
  return role === 'ADMIN' ? {} : { userName: user?.name ?? '' }
}

/** The condition for one schedule. */
export function visibleSchedule(viewer: Viewer, id: string): Prisma.ScheduleWhereInput {
  return { AND: [{ id: matchable(id) }, visibleSchedules(viewer)] }
}

/** The condition for one run: that of its schedule. */
export function visibleScheduleRun(viewer: Viewer, id: string): Prisma.ScheduleRunWhereInput {
  return { id: matchable(id), schedule: visibleSchedules(viewer) }
}
