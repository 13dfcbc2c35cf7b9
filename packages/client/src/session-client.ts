/**
 * One session, as a page, a script or a bot uses it. Made by `client.session(id)`; costs nothing until something is
 * asked.
 */
import type { Connection } from './connection.ts'
import { followEvents, type SessionEvent } from './follow-events.ts'
import {
  DecideApprovalDocument,
  SendMessageDocument,
  type DecideApprovalInput,
  type DecideApprovalMutation,
  type SendMessageInput,
  type SendMessageMutation,
} from './generated/graphql.ts'
import { newKey } from './new-key.ts'
import { readView, type SessionView } from './read-view.ts'
import { watchView } from './watch-view.ts'

/**
 * `__typename` says whether it was accepted (SendMessagePayload) or why not: a refusal has a `code` and a `problem`.
 */
export type SendResult = SendMessageMutation['sendMessage']

/**
 * `__typename` says whether it was decided (DecideApprovalPayload) or why not, such as that another decision came
 * first.
 */
export type DecideResult = DecideApprovalMutation['decideApproval']

/** `user`: for tokens of connectors, whom the message is from. `idempotencyKey`: made up when left out. */
export interface SendOptions extends Omit<SendMessageInput, 'sessionId' | 'content'> {
  readonly signal?: AbortSignal
}

/** Where in the log to begin, and when to end. */
export interface EventsOptions {
  /** Only events with a greater seq; 0 is the whole log. Left out: live only, beginning with a SessionSnapshot. */
  readonly after?: number
  /** Ends the loop when it is aborted. */
  readonly signal?: AbortSignal
}

/**
 * `scope`, `note`, and what to approve instead of what was asked for. `user`: for tokens of connectors, who decides.
 */
export type ApproveOptions = Omit<DecideApprovalInput, 'id' | 'approve'>

/** `note`: the reason, which the planner is given. `user`: for tokens of connectors, who decides. */
export type DenyOptions = Pick<DecideApprovalInput, 'note' | 'user'>

/**
 * Loops over events and views end when the client is closed; calls then reject. Any number of loops share one
 * WebSocket.
 */
export class SessionClient {
  readonly id: string
  readonly #connection: Connection

  constructor(connection: Connection, id: string) {
    this.#connection = connection
    this.id = id
  }

  /**
   * Sends a message; opens the session if there is none. Tries again when the answer is lost, without sending it twice.
   * When the order of two messages matters, wait for the first.
   */
  async send(content: string, { signal, ...options }: SendOptions = {}): Promise<SendResult> {
    const input = { sessionId: this.id, content, idempotencyKey: newKey(), ...options }
    return (await this.#connection.requestPatiently(SendMessageDocument, { input }, signal)).sendMessage
  }

  /**
   * The session as it stands; null when there is none that the token may see. Follow with `events({ after: view.version
   * })`.
   */
  view({ signal }: { readonly signal?: AbortSignal } = {}): Promise<SessionView | null> {
    return readView(this.#connection, this.id, this.#until(signal))
  }

  /**
   * The session's log: everything after `after`, then live, in order, nothing missing and nothing twice, also when the
   * connection or the server was away in between. Ends when the signal is aborted or the client closed. Throws a
   * ClientError with the server's reason when there is nothing to come back to: NOT_FOUND, UNAUTHENTICATED.
   */
  events({ after, signal }: EventsOptions = {}): AsyncGenerator<SessionEvent, void, void> {
    return followEvents(this.#connection, this.id, { after, signal: this.#until(signal) })
  }

  /**
   * The view, and again whenever it has changed. Pieces of output are not followed: they are in `events`. Ends like
   * `events`.
   */
  watch({ signal }: { readonly signal?: AbortSignal } = {}): AsyncGenerator<SessionView, void, void> {
    return watchView(this.#connection, this.id, this.#until(signal))
  }

  /**
   * Allows what a turn waits for. Sent once: when the answer is lost (UNREACHABLE), the view tells whether it arrived,
   * and to decide again does no harm, because the first decision stands.
   */
  approve(approvalId: string, options: ApproveOptions = {}): Promise<DecideResult> {
    return this.#decide({ id: approvalId, approve: true, ...options })
  }

  /** Forbids it; the planner is given the note. Repeating it is as harmless as with `approve`. */
  deny(approvalId: string, options: DenyOptions = {}): Promise<DecideResult> {
    return this.#decide({ id: approvalId, approve: false, ...options })
  }

  async #decide(input: DecideApprovalInput): Promise<DecideResult> {
    return (await this.#connection.request(DecideApprovalDocument, { input })).decideApproval
  }

  #until(signal: AbortSignal | undefined): AbortSignal {
    const { closed } = this.#connection
    return signal === undefined ? closed : AbortSignal.any([signal, closed])
  }
}
