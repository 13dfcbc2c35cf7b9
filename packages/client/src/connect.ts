/**
 * Factotum's client for browsers and Node: `connect`, then `client.session(id)`. This is what frontends import
 * ("@factotum/client"), and what the demo and the stories use. Nothing in this folder knows the server's code, and
 * nothing in it needs more than a browser has.
 */
import {
  Connection,
  type CallOptions,
  type ConnectionState,
  type ConnectOptions,
  type TypedDocument,
} from './connection.ts'
import { follow } from './follow.ts'
import { SessionClient } from './session-client.ts'
import type {
  ApprovalFilter,
  FactFilter,
  LearningFilter,
  OpenSessionInput,
  SessionFilter,
} from './generated/graphql.ts'
import { StartSessionDocument } from './generated/graphql.ts'
import { approvalList, factList, learningList, sessionList } from './lists/lists.ts'
import type { OpenResult } from './session-client.ts'

export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { CallOptions, ConnectionState, ConnectOptions, TypedDocument } from './connection.ts'
export type { SessionEvent } from './follow-events.ts'
export type { SessionView } from './read-view.ts'
export type {
  ActOptions,
  ApproveOptions,
  DecideResult,
  DenyOptions,
  EventsOptions,
  SendOptions,
  SendResult,
  SessionClient,
  UploadOptions,
} from './session-client.ts'
export { approvalList, factList, learningList, sessionList } from './lists/lists.ts'
export type { ListState, LiveList } from './lists/live-list.ts'
export { sessionStore } from './store/session-stores.ts'
export type { SessionStore } from './store/session-store.ts'
export type {
  AgentEntry,
  Entry,
  NoticeEntry,
  PersonEntry,
  PlanState,
  SendingState,
  SessionState,
  TaskState,
  ThinkingEntry,
  TurnState,
} from './store/session-state.ts'

/** Opens nothing yet: the first subscription does. Throws when `url` is none, or WebSocket is missing. */
export function connect(options: ConnectOptions): FactotumClient {
  return new FactotumClient(new Connection(options))
}

/** One server and one token. After `close` calls reject with the abort's reason, and loops end. */
export class FactotumClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Sends nothing, so the session need not exist. Any number for one id share the connection. */
  session(id: string): SessionClient {
    return new SessionClient(this.#connection, id)
  }

  /**
   * Opens a session: with an id of your own name space (see SessionClient.open), or with one that the server makes.
   * With an id it is tried again until it is answered; without, it is sent once.
   */
  async openSession({ id, ...options }: OpenSessionInput = {}): Promise<OpenResult> {
    if (id != null) return this.session(id).open(options)
    return (await this.#connection.request(StartSessionDocument, { input: options })).openSession
  }

  /** The sessions that you see, newest first: a list that stays live while something listens. */
  sessions(filter?: SessionFilter) {
    return sessionList(this, filter)
  }

  /** Approvals, newest first; `{ status: ['PENDING'] }`: those that wait. */
  approvals(filter?: ApprovalFilter) {
    return approvalList(this, filter)
  }

  /** For admins. */
  facts(filter?: FactFilter) {
    return factList(this, filter)
  }

  /** For admins. */
  learnings(filter?: LearningFilter) {
    return learningList(this, filter)
  }

  /**
   * Any other query or mutation of the API, typed by a document of GraphQL Code Generator. Sent once. Throws
   * ClientError, or the signal's reason.
   */
  run<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    options: CallOptions = {},
  ): Promise<Data> {
    return this.#connection.request(document, variables, options)
  }

  /**
   * A query, tried again while the failure is a passing one, for at most `patienceMs`. Throws ClientError, or the
   * signal's reason.
   */
  read<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Data> {
    return this.#connection.requestPatiently(document, variables, signal)
  }

  /**
   * Any subscription of the API. It comes back by itself when the connection is lost: `sessionEvents` go on behind the
   * last event (`after` moves along), updates of lists begin with `readList` again. Ends when the loop is left, the
   * signal aborted or the client closed; throws ClientError when coming back would not help.
   */
  subscribe<Data, Variables extends object>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Data, void, void> {
    return follow(this.#connection, { document, variables, signal: this.#connection.until(signal) })
  }

  /** Whether the page is live: 'idle' while nothing is followed. */
  get connectionState(): ConnectionState {
    return this.#connection.state
  }

  /** Calls `watcher` after each change of `connectionState`, until what it returns is called. */
  watchConnection(watcher: () => void): () => void {
    return this.#connection.watch(watcher)
  }

  /** Aborted with the signal, and when the client is closed: for what is to end with either. */
  until(signal?: AbortSignal): AbortSignal {
    return this.#connection.until(signal)
  }

  /** Ends all loops over events and views, and calls that are under way. */
  close(): void {
    this.#connection.close()
  }
}
