/**
 * Factotum's client for browsers and Node: `connect`, then `client.session(id)`. This is what frontends import
 * ("factotum/client"), and what the demo and the stories use. Nothing in this folder knows the server's code, and
 * nothing in it needs more than a browser has.
 */
import { Connection, type ConnectOptions, type TypedDocument } from './connection.ts'
import { SessionClient } from './session-client.ts'

export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { ConnectOptions, TypedDocument } from './connection.ts'
export type { SessionEvent } from './follow-events.ts'
export type { SessionView } from './read-view.ts'
export type {
  ApproveOptions,
  DecideResult,
  DenyOptions,
  EventsOptions,
  SendOptions,
  SendResult,
  SessionClient,
} from './session-client.ts'

/** Opens nothing yet: the first subscription does. Throws a TypeError when `url` is none. */
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
   * Any other query or mutation of the API, typed by a document of GraphQL Code Generator. Sent once. Throws
   * ClientError, or the signal's reason.
   */
  run<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Data> {
    return this.#connection.request(document, variables, signal)
  }

  /**
   * Any other subscription, until the server, the signal or the client ends it. Throws ClientError when it breaks: to
   * come back is the caller's, who knows from where. What leads to a session's log is better followed by `events`.
   */
  subscribe<Data, Variables extends object>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Data, void, void> {
    const { closed } = this.#connection
    return this.#connection.subscribe(
      document,
      variables,
      signal === undefined ? closed : AbortSignal.any([signal, closed]),
    )
  }

  /** Ends all loops over events and views, and calls that are under way. */
  close(): void {
    this.#connection.close()
  }
}
