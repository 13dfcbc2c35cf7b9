/** What deciding about approvals works with: made once in app.ts, handed to each call. */
import type { LiveConfig } from '../config/config.ts'
import type { SessionEvent } from '../core/session-event.ts'
import type { Notification } from '../events/notification.ts'
import type { Skills } from '../execution/skills/skill-catalog.ts'
import type { Clock } from '../platform/clock.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Database } from '../store/database.ts'
import type { ToolOffer } from '../tools/tool.ts'

export interface ApprovalsContext {
  readonly database: Database
  readonly config: LiveConfig
  readonly clock: Clock
  readonly skills: Skills
  /** A tool as it is offered now, in this process; undefined: it is not there. */
  readonly toolOf: (name: string) => Pick<ToolOffer, 'effect' | 'fingerprint' | 'parameters'> | undefined
  /** What is stored of a session holds no secret that this process knows. */
  readonly redactorOf: (sessionId: string) => Redactor
  /** Publishes events after their commit. */
  readonly feed: { published(events: readonly SessionEvent[]): void }
  /** Tells all processes; losing a ring costs time, never work. */
  readonly doorbell: { ring(notification: Notification): void }
}
