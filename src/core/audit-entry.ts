/**
 * The audit's entries: one union, stored append-only (`audit_entries`), sealed into a chain, shown to admins. `data` in
 * the table is the body without `kind`. What must hold: never an output, a prompt or an answer, and never a secret.
 */
import type { ApprovalScope, ApprovalStatus, DeliveryStatus, ReviewVerdict, TaskStatus, TaskType } from './status.ts'
import type { ModelCallRecord } from './model-call.ts'

export type AuditBody =
  | ({ readonly kind: 'MODEL_CALL' } & Omit<ModelCallRecord, 'at' | 'texts'>)
  | {
      readonly kind: 'TASK'
      readonly taskId: string
      readonly taskType: TaskType
      readonly detail: string
      readonly status: TaskStatus
      readonly durationMs: number | null
      /** Characters. */
      readonly outputLength: number
      /** There, and true, for a text that the agent left unsaid. */
      readonly suppressed?: boolean
    }
  | {
      readonly kind: 'REVIEW'
      readonly taskId: string
      readonly verdict: ReviewVerdict
      readonly hasLearning: boolean
    }
  /** One attempt, or that it was given up or asked for again. */
  | {
      readonly kind: 'DELIVERY'
      readonly deliveryId: string
      readonly taskId: string
      readonly url: string
      readonly status: DeliveryStatus
      readonly statusCode: number | null
      readonly attempts: number
    }
  /**
   * `subjectId`: the fact, learning or question; `change`: what was done, in the words of FactChange or the status
   * reached.
   */
  | {
      readonly kind: 'KNOWLEDGE'
      readonly subjectId: string
      readonly change: string
      readonly reason: string | null
    }
  /** `count`: how often within a minute; what comes often is one entry at its begin and one for the rest. */
  | {
      readonly kind: 'ACCESS_DENIED'
      readonly field: string
      readonly reason: DenialReason
      readonly count: number
    }
  /** It was asked for (PENDING) or settled. `before`, `after`: what it was given for was changed with the decision. */
  | {
      readonly kind: 'APPROVAL'
      readonly approvalId: string
      readonly taskId: string
      readonly status: ApprovalStatus
      readonly scope: ApprovalScope | null
      readonly note: string | null
      readonly before: string | null
      readonly after: string | null
    }
  | { readonly kind: 'CONFIG'; readonly change: ConfigChange; readonly detail: string }
  | { readonly kind: 'SESSION'; readonly change: SessionChange; readonly detail: string | null }

/** FORBIDDEN: the rule of the field, or of a thing that is seen; NOT_VISIBLE: it exists, but is answered as absent. */
export type DenialReason = 'UNKNOWN_TOKEN' | 'FORBIDDEN' | 'NOT_VISIBLE'

export type ConfigChange =
  | 'RELOADED'
  | 'REFUSED'
  | 'SECRETS_RELOADED'
  /** The rights of a turn's user are others than when its plan was made. */
  | 'RIGHTS_CHANGED'
  /** By the server, once a day for each limit of a user. */
  | 'BUDGET_NEARLY_USED'
  | 'BUDGET_USED_UP'
  /** The retention job removed the oldest entries. */
  | 'AUDIT_REMOVED'
  /** Seals that this process has seen are gone or changed. */
  | 'AUDIT_TAMPERED'
  | 'SCHEDULE_CREATED'
  | 'SCHEDULE_UPDATED'
  | 'SCHEDULE_DELETED'
  | 'SCHEDULE_TRIGGERED'
  /** By the server: it cannot go on. */
  | 'SCHEDULE_PAUSED'
  | 'USER_CREATED'
  | 'USER_UPDATED'
  | 'USER_REMOVED'
  /** Both names stand in the detail, and earlier entries keep theirs. */
  | 'USER_MERGED'
  | 'TOKEN_CREATED'
  | 'TOKEN_REVOKED'
  | 'IDENTITY_LINKED'
  | 'IDENTITY_UNLINKED'
  /** A user was shown a code; the code stands nowhere. */
  | 'LINK_CODE_CREATED'
  /** So many wrong codes that no more are taken for a while. */
  | 'LINK_CODES_GUESSED'
  /** A link that logs in to the console was made; what it holds stands nowhere. */
  | 'LOGIN_LINK_CREATED'
  | 'LOGGED_IN'
  | 'LOGGED_OUT'
  /** A plugin was found for the first time; it is off until an admin enables it. */
  | 'PLUGIN_FOUND'
  | 'PLUGIN_UPDATED'
  | 'PLUGIN_RESTARTED'

export type SessionChange =
  | 'OPENED'
  | 'UPDATED'
  | 'DELETED'
  | 'TURN_CANCELLED'
  | 'TURN_RETRIED'
  | 'TURN_PAUSED'
  | 'MESSAGE_EDITED'
  | 'MESSAGE_WITHDRAWN'
  | 'CHECKPOINT_REQUESTED'
  | 'USER_ERASED'
  | 'FORKED'
  | 'EXPORTED'
  | 'IMPORTED'
  | 'FILE_RECEIVED'
  /** What was older than [retention] allows went. */
  | 'RETENTION_REMOVED'

export type AuditKind = AuditBody['kind']

/** An entry not yet stored. */
export interface NewAuditEntry {
  /** Given for what several processes see: it is stored once. */
  readonly id?: string
  readonly at: Date
  readonly sessionId: string | null
  readonly turnId: string | null
  /** A user's name, or the part of the server that acted, such as "curator"; null when neither is known. */
  readonly actor: string | null
  readonly tokenName: string | null
  readonly body: AuditBody
}

export interface StoredAuditEntry extends NewAuditEntry {
  readonly id: string
}
