/**
 * A frontend, as far as tests are concerned. What the client library offers goes through it: sending, events, views,
 * approvals (`session`, `follow`). The rest is the bare protocol, as a frontend without it would speak it, with nothing
 * hidden: whole replies over HTTP, subscriptions over WebSocket or SSE that end when their connection does.
 */
import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'
import { ClientError, connect, type SessionClient } from '../../packages/client/src/connect.ts'
import type { TypedDocumentString, WatchSessionSubscription } from '../generated/graphql.ts'

export interface GraphQLFailure {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

export interface Reply<Data> {
  readonly status: number
  readonly data: Data | null
  readonly errors: readonly GraphQLFailure[]
}

/** An open subscription: its events as they come, and a way to wait for one. */
export interface Watch<Data> extends AsyncDisposable {
  readonly received: Data[]
  /**
   * The first event, already received or still to come, that satisfies `accept`. Rejects when the subscription ends
   * first.
   */
  until(accept: (data: Data) => boolean): Promise<Data>
  /** Resolves when the server ends the subscription; the reason, if it gave one. */
  readonly ended: Promise<string>
  close(): Promise<void>
}

/** Lists of admins: null only where an error says so. */
type AdminList =
  | 'audit'
  | 'auditCheck'
  | 'deliveries'
  | 'facts'
  | 'learnings'
  | 'modelCalls'
  | 'questions'
  | 'rankedTurns'
  | 'skillProblems'
  | 'usage'
  | 'usageByDay'

/** What an operation that succeeded has given. */
export type Given<Data> = { [Field in keyof Data]: Field extends AdminList ? NonNullable<Data[Field]> : Data[Field] }

export class ApiClient {
  readonly url: string
  readonly token: string | null

  constructor(url: string, token: string | null) {
    this.url = url
    this.token = token
  }

  /** By the client library. */
  session(id: string): SessionClient {
    return connect({ url: this.url, token: this.token ?? '' }).session(id)
  }

  /**
   * The log of a session by the client library, which would come back when its connection is lost; here that is an end,
   * because in a story connections are lost only where it says so (those of test/clients/client.pg.test.ts are).
   */
  follow(sessionId: string, after: number): Watch<WatchSessionSubscription> {
    const abort = new AbortController()
    const inbox = new Inbox<WatchSessionSubscription>()
    const onConnection = (state: 'open' | 'closed'): void => {
      if (state === 'closed') inbox.end('the connection was lost')
    }
    const client = connect({ url: this.url, token: this.token ?? '', onConnection })
    const read = async (): Promise<void> => {
      const events = client.session(sessionId).events({ after, signal: abort.signal })
      for await (const sessionEvents of events) inbox.add({ data: { sessionEvents } })
    }
    void read().then(
      () => inbox.end('closed'),
      (error: unknown) => inbox.end(error instanceof ClientError ? `${error.code} ${error.message}` : String(error)),
    )
    void inbox.ended.then(() => abort.abort())
    return watchOf(inbox, () => abort.abort())
  }

  /** Sends one operation and returns whatever came back. */
  async request<Data, Variables>(
    document: TypedDocumentString<Data, Variables> | string,
    variables?: Variables,
  ): Promise<Reply<Data>> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#authorization() },
      body: JSON.stringify({ query: document.toString(), variables }),
    })
    const body = (await response.json()) as { data?: Data | null; errors?: GraphQLFailure[] }
    return { status: response.status, data: body.data ?? null, errors: body.errors ?? [] }
  }

  /** Sends one operation that must succeed and returns its data. */
  async run<Data, Variables>(
    document: TypedDocumentString<Data, Variables> | string,
    variables?: Variables,
  ): Promise<Given<Data>> {
    const reply = await this.request(document, variables)
    if (reply.data === null || reply.errors.length > 0) throw new Error(`GraphQL failed: ${JSON.stringify(reply)}`)
    return reply.data as Given<Data>
  }

  /** Subscribes over WebSocket. */
  watch<Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables): Watch<Data> {
    const client = createClient({
      url: `${this.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: this.#authorization(),
      retryAttempts: 0,
      lazy: true,
    })
    return openWatch(client, document, variables)
  }

  /** Subscribes over server-sent events. */
  watchSse<Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables): Watch<Data> {
    const abort = new AbortController()
    const inbox = new Inbox<Data>()
    void this.#readSse({ document: document.toString(), variables, signal: abort.signal }, inbox).then(
      () => inbox.end('complete'),
      (error: unknown) => inbox.end(abort.signal.aborted ? 'closed' : String(error)),
    )
    return watchOf(inbox, () => abort.abort())
  }

  async #readSse<Data>(
    request: { document: string; variables: unknown; signal: AbortSignal },
    inbox: Inbox<Data>,
  ): Promise<void> {
    const response = await fetch(`${this.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...this.#authorization() },
      body: JSON.stringify({ query: request.document, variables: request.variables }),
      signal: request.signal,
    })
    if (response.body === null) throw new Error('no stream')
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const data = /^data: ?(.+)$/m.exec(block)?.[1]
        if (/^event: ?complete/m.test(block)) return
        if (data !== undefined) inbox.add(JSON.parse(data) as { data?: Data; errors?: GraphQLFailure[] })
      }
    }
  }

  #authorization(): Record<string, string> {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` }
  }
}

/** What a subscription has brought so far, and those who wait for more. */
class Inbox<Data> {
  readonly received: Data[] = []
  readonly ended: Promise<string>
  #resolveEnded!: (reason: string) => void
  #reason: string | null = null
  #waiting: { accept: (data: Data) => boolean; resolve: (data: Data) => void; reject: (error: Error) => void }[] = []

  constructor() {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve))
  }

  add(result: { data?: Data | null; errors?: readonly GraphQLFailure[] }): void {
    if (result.data === null || result.data === undefined || (result.errors?.length ?? 0) > 0) {
      return this.end(JSON.stringify(result.errors))
    }
    const data = result.data
    this.received.push(data)
    this.#waiting = this.#waiting.filter((one) => {
      if (!one.accept(data)) return true
      one.resolve(data)
      return false
    })
  }

  end(reason: string): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#resolveEnded(reason)
    for (const one of this.#waiting) one.reject(new Error(`the subscription ended: ${reason}`))
    this.#waiting = []
  }

  until(accept: (data: Data) => boolean): Promise<Data> {
    const found = this.received.find(accept)
    if (found !== undefined) return Promise.resolve(found)
    if (this.#reason !== null) return Promise.reject(new Error(`the subscription ended: ${this.#reason}`))
    return new Promise((resolve, reject) => this.#waiting.push({ accept, resolve, reject }))
  }
}

function watchOf<Data>(inbox: Inbox<Data>, close: () => void | Promise<void>): Watch<Data> {
  const closeAndEnd = async (): Promise<void> => {
    await close()
    inbox.end('closed')
  }
  return {
    received: inbox.received,
    ended: inbox.ended,
    until: (accept) => inbox.until(accept),
    close: closeAndEnd,
    [Symbol.asyncDispose]: closeAndEnd,
  }
}

function openWatch<Data, Variables>(
  client: Client,
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
): Watch<Data> {
  const inbox = new Inbox<Data>()
  client.subscribe<Data>(
    { query: document.toString(), variables: variables as Record<string, unknown> },
    {
      next: (result) => inbox.add(result as { data?: Data | null; errors?: readonly GraphQLFailure[] }),
      error: (error) => inbox.end(describeClose(error)),
      complete: () => inbox.end('complete'),
    },
  )
  return watchOf(inbox, () => client.dispose())
}

function describeClose(error: unknown): string {
  if (Array.isArray(error)) return JSON.stringify(error)
  const { code, reason, message } = error as { code?: number; reason?: string; message?: string }
  return code === undefined ? (message ?? String(error)) : `${code} ${reason ?? ''}`.trim()
}
