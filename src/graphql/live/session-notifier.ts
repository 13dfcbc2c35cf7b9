/**
 * Which sessions changed in a list, for `sessionUpdates`: each at most four times a second, notified only to viewers
 * who may see the session at that moment.
 */
import type { Viewer } from '../../core/identity.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { ChangeNotifier } from './change-notifier.ts'
import type { ReadAudience } from './log-view.ts'
import { notifyAudience } from './notify-audience.ts'

const PAUSE_MS = 250
/** Audiences read at the same time. */
const PARALLEL_READS = 4
/**
 * When notifications may have been missed: sessions that were active this lately are notified again, changed or not.
 */
const LOOK_BACK_MS = 60_000

export interface SessionNotifierOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  /** Ids of the sessions that were active since then, latest first. */
  readonly readActiveSince: (since: Date, limit: number) => Promise<readonly string[]>
  readonly clock: Clock
  readonly logger: Logger
}

export type SessionNotifier = ChangeNotifier<Viewer>

export function createSessionNotifier(options: SessionNotifierOptions): SessionNotifier {
  const { doorbell, readAudience, readActiveSince, clock, logger } = options
  return new ChangeNotifier({
    doorbell,
    logger,
    subject: 'session lists',
    listen: (note) =>
      doorbell.on('log', ({ sessionId, list }) => {
        if (list) note({ id: sessionId, group: sessionId })
      }),
    readMissed: async (limit) => {
      const ids = await readActiveSince(new Date(clock.now().getTime() - LOOK_BACK_MS), limit)
      return ids.map((id) => ({ id, group: id }))
    },
    notify: notifyAudience(readAudience),
    parallel: PARALLEL_READS,
    pause: () => clock.sleep(PAUSE_MS),
  })
}
