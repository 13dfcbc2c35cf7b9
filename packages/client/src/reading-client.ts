import type { ConnectionState, TypedDocument } from './connection.ts'
import type { SessionClient } from './session-client.ts'

interface Until {
  readonly signal?: AbortSignal
}

/** What lists and stores take of a `FactotumClient` (connect.ts, which imports them); all of it is described there. */
export interface ReadingClient {
  readonly connectionState: ConnectionState
  watchConnection(watcher: () => void): () => void
  session(id: string): SessionClient
  until(signal?: AbortSignal): AbortSignal
  read<Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables, until?: Until): Promise<Data>
  subscribe<Data, Variables extends object>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    until?: Until,
  ): AsyncGenerator<Data, void, void>
}
