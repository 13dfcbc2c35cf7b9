/**
 * Which approvals were asked for or settled, for `approvalUpdates`: told at once, only to viewers who may see their session at
 * that moment. When news may have been missed, what is open is told again.
 */
import type { Viewer } from '../core/identity.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Logger } from '../platform/logger.ts'
import { ChangeNews } from './change-news.ts'
import type { ReadAudience } from './log-view.ts'
import { tellAudience } from './tell-audience.ts'

export interface ApprovalNewsOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  /** Newest first. */
  readonly readOpen: (limit: number) => Promise<readonly { readonly id: string; readonly sessionId: string }[]>
  readonly logger: Logger
}

export type ApprovalNews = ChangeNews<Viewer>

export function createApprovalNews({ doorbell, readAudience, readOpen, logger }: ApprovalNewsOptions): ApprovalNews {
  return new ChangeNews({
    doorbell,
    logger,
    subject: 'approvals',
    listen: (note) => doorbell.on('approval', ({ id, sessionId }) => note({ id, group: sessionId })),
    readMissed: async (limit) => (await readOpen(limit)).map(({ id, sessionId }) => ({ id, group: sessionId })),
    tell: tellAudience(readAudience),
    parallel: 1,
    pause: () => Promise.resolve(),
  })
}
