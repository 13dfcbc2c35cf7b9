/** Opens what goes on behind the door, for app.ts: who watches which lists, and what is refused. */
import { AccessDenials } from './audit/access-denials.ts'
import type { LiveConfig } from './config/config.ts'
import { createApprovalNotifier, type ApprovalNotifier } from './graphql/live/notify/approval-notifier.ts'
import { AuditTrails } from './graphql/live/audit-trails.ts'
import { createRowNotifier, type RowNotifier } from './graphql/live/notify/row-notifier.ts'
import { createScheduleNotifier, type ScheduleNotifier } from './graphql/live/notify/schedule-notifier.ts'
import { readAudience } from './graphql/live/notify/session-audience.ts'
import type { Opened } from './opened.ts'
import type { Stored } from './open-store.ts'
import type { Logger } from './platform/logger.ts'

export interface Watching {
  readonly rowNotifier: RowNotifier
  readonly approvalNotifier: ApprovalNotifier
  readonly scheduleNotifier: ScheduleNotifier
  readonly auditTrails: AuditTrails
  readonly denials: AccessDenials
}

interface WatchingOptions {
  readonly stored: Pick<Stored, 'database' | 'doorbell' | 'clock'>
  readonly config: LiveConfig
  readonly logger: Logger
}

export function openWatching({ stored, config, logger }: WatchingOptions, opened: Opened): Watching {
  const { database, doorbell, clock } = stored
  const watching = {
    denials: new AccessDenials({ database, config, clock, logger }),
    rowNotifier: createRowNotifier({ database, doorbell, clock, logger }),
    approvalNotifier: createApprovalNotifier({
      doorbell,
      readAudience: (sessionId) => readAudience(database, sessionId),
      logger,
    }),
    scheduleNotifier: createScheduleNotifier({ doorbell, clock, logger }),
    auditTrails: new AuditTrails({ database, doorbell, clock }),
  }
  for (const [name, part] of Object.entries(watching)) {
    part.start()
    opened.add(name, () => part.stop())
  }
  return watching
}
