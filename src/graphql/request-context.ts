/**
 * What the door (HTTP, SSE, WebSocket, hub) knows about an operation and hands to the schema. The schema's own context
 * (context.ts) extends it; `startServer` is given the function that does so. Made once per operation, and once per
 * event for log views, so making one must be cheap.
 */
import type { ClientTrace, Viewer } from '../core/identity.ts'
import type { Logger } from '../platform/logger.ts'
import type { AnswerBudget } from './operation/answer-budget.ts'
import type { SessionNotifier } from './live/notify/session-notifier.ts'

export interface RequestContext {
  /**
   * Who asks. While one execution serves many subscribers (`grantedSessionId` is set) the names are empty and only the
   * access class is there: role, kind of token, namespace, and whether a user is bound to it.
   */
  readonly viewer: Viewer
  readonly requestId: string
  /** The trace of the HTTP request, if it says one; null over WebSocket. */
  readonly trace: ClientTrace | null
  /** Carries requestId, token and operation. */
  readonly logger: Logger
  /**
   * The session that every receiver of this execution's result may see, already checked; null for ordinary operations.
   */
  readonly grantedSessionId: string | null
  /** How large the answer may become; null: its values are not counted while they are resolved. */
  readonly answer: AnswerBudget | null
  /** Where `sessionUpdates` comes from. */
  readonly sessionNotifier: SessionNotifier
}

export type CreateContext = (request: RequestContext) => object
