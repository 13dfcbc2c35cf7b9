/**
 * Which sessions changed in a list, for `sessionUpdates`: each at most four times a second, notified only to viewers
 * who may see the session at that moment.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { Doorbell } from '../../../events/doorbell.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Logger } from '../../../platform/logger.ts'
import { ChangeNotifier } from './change-notifier.ts'
import type { ReadAudience } from '../log-view.ts'
import { notifyAudience } from './notify-audience.ts'

const PAUSE_MS = 250
/** Audiences read at the same time. */
const PARALLEL_READS = 4
export interface SessionNotifierOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  readonly clock: Clock
  readonly logger: Logger
}

export type SessionNotifier = ChangeNotifier<Viewer>

export function createSessionNotifier(options: SessionNotifierOptions): SessionNotifier {
  const { doorbell, readAudience, clock, logger } = options
  return new ChangeNotifier({
    doorbell,
    logger,
    subject: 'session lists',
    listen: (note) =>
      doorbell.on('log', ({ sessionId, list }) => {
        if (list) note({ id: sessionId, group: sessionId })
      }),
    notify: notifyAudience(readAudience),
    parallel: PARALLEL_READS,
    pause: () => clock.sleep(PAUSE_MS),
  })
}
