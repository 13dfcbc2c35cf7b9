/**
 * Which schedules changed, for `scheduleUpdates`: each at most four times a second, to admins and to the user whose it
 * is.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { Doorbell } from '../../../events/doorbell.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Logger } from '../../../platform/logger.ts'
import { ChangeNotifier } from './change-notifier.ts'

const PAUSE_MS = 250

export interface ScheduleNotifierOptions {
  readonly doorbell: Doorbell
  readonly clock: Clock
  readonly logger: Logger
}

export type ScheduleNotifier = ChangeNotifier<Viewer>

export function createScheduleNotifier({ doorbell, clock, logger }: ScheduleNotifierOptions): ScheduleNotifier {
  return new ChangeNotifier({
    doorbell,
    logger,
    subject: 'schedules',
    listen: (note) => doorbell.on('schedule', ({ id, userName }) => note({ id, group: userName })),
    notify: (userName, ids, watchers) => {
      for (const [watcher, { role, user }] of watchers)
        if (role === 'ADMIN' || user?.name === userName) for (const id of ids) watcher.add(id)
      return Promise.resolve()
    },
    parallel: 1,
    pause: () => clock.sleep(PAUSE_MS),
  })
}
