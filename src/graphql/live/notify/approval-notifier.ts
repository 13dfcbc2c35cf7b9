/**
 * Which approvals were asked for or settled, for `approvalUpdates`: notified at once, only to viewers who may see their
 * session at that moment.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { Doorbell } from '../../../events/doorbell.ts'
import type { Logger } from '../../../platform/logger.ts'
import { ChangeNotifier } from './change-notifier.ts'
import type { ReadAudience } from '../log-view.ts'
import { notifyAudience } from './notify-audience.ts'

export interface ApprovalNotifierOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  readonly logger: Logger
}

export type ApprovalNotifier = ChangeNotifier<Viewer>

export function createApprovalNotifier({ doorbell, readAudience, logger }: ApprovalNotifierOptions): ApprovalNotifier {
  return new ChangeNotifier({
    doorbell,
    logger,
    subject: 'approvals',
    listen: (note) => doorbell.on('approval', ({ id, sessionId }) => note({ id, group: sessionId })),
    notify: notifyAudience(readAudience),
    parallel: 1,
    pause: () => Promise.resolve(),
  })
}
