/**
 * One server and one token: operations over HTTP, subscriptions over one WebSocket that opens with the first and closes
 * with the last, and over further ones where there are more than a server runs on one. Knows nothing of sessions. What
 * goes wrong is a ClientError, whatever the transport says; whether to come back is decided by who calls.
 */
import { createClient, type Client as SocketClient } from 'graphql-ws/client'
import { asClientError, ClientError, type ServerError } from './client-error.ts'
import { Inbox } from './inbox.ts'
import { Backoff } from './pause.ts'

/** Which server, with which token, and how patiently. */
export interface ConnectOptions {
  /** Where the server is, such as "https://factotum.example"; with or without "/graphql". */
  readonly url: string
  /**
   * The token, or what gets it: asked again for each request and each connection. That it fails, or gives none within
   * 20 seconds, is UNREACHABLE, as if the server gave no answer; a ClientError that it throws is passed on as it is.
   * Left out on a page of the server's own, whose cookie says who asks.
   */
  readonly token?: string | (() => string | Promise<string>)
  /**
   * How long a call tries to reach the server, in milliseconds; a minute when left out. Subscriptions try until they
   * are ended.
   */
  readonly patienceMs?: number
  /** For platforms without a global WebSocket (Node 20): the class, such as that of the package "ws". */
  readonly webSocketImpl?: unknown
  /** Called when the WebSocket opens and when it closes, for an indicator on a page. */
  readonly onConnection?: (state: 'open' | 'closed') => void
}

/**
 * Whether the WebSocket stands: it opens with the first subscription, and closes with the last. 'offline': it was lost,
 * or did not come about, and what is followed waits for it; 'idle' while nothing is followed.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'offline'

/** A document with the types of its result and variables, as GraphQL Code Generator makes them. */
export interface TypedDocument<Data, Variables> {
  toString(): string
  readonly __apiType?: (variables: Variables) => Data
}

/** How long a call may take. */
export interface CallOptions {
  /** Gives the call up: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Where nothing of an answer comes for so many milliseconds it is UNREACHABLE; 20 seconds when left out. More where
   * the server itself may wait for longer, such as for a model. A large message has longer to be on its way.
   */
  readonly answerWithinMs?: number
}

/** A file of a browser is a Blob. By names that TypeScript 5.0 and a project without the DOM's types know. */
export type FileBody = Blob | Uint8Array | ArrayBuffer | string

interface Calling extends CallOptions {
  /** It is sent again also after other passing failures: it may be repeated. */
  readonly isPatient?: boolean
}

interface Result {
  readonly data?: unknown
  readonly errors?: readonly ServerError[]
}

/** JSON that came over HTTP. */
type Answer = Readonly<Record<string, unknown>>

interface Sent extends RequestInit {
  readonly headers?: Record<string, string>
  /** Gives it up: it rejects with the signal's reason. */
  readonly signal: AbortSignal
  /** When nothing came for so many milliseconds, it is UNREACHABLE; left out, it has no end of its own. */
  readonly answerWithinMs?: number
}

const PATIENCE_MS = 60_000
/** Without an answer by then the connection counts as broken, although it stands: the server is gone. */
const ANSWER_WITHIN_MS = 20_000
/** What a poor mobile network carries: what is sent, over one that stands, is not taken for lost before. */
const SENT_BYTES_PER_MS = 4
/**
 * A connection that stays silent that long after a ping is dead, whatever the platform thinks (a laptop that slept).
 */
const PING_EVERY_MS = 15_000
const PONG_WITHIN_MS = 5_000
/** One large event on a poor network is as silent: after each ping without a pong it has twice as long, up to this. */
const PONG_AT_LAST_WITHIN_MS = 80_000
/** A connection that is not open by then, with the server's word, is given up: what stands between may be silent. */
const OPEN_WITHIN_MS = 10_000
/** The close code after which the same token is not let in again, also of one that ended meanwhile. */
const UNAUTHENTICATED_CODE = 4401
/** The server did not understand us: coming back would not help. */
const PROTOCOL_CODES = /^44(0[069]|29)$/

/** What an answer of the server has one of: an operation's, or that to a file. */
const ANSWERED = ['data', 'errors', 'name', 'problem']
/** A server runs no more operations on one WebSocket. */
const SUBSCRIPTIONS_PER_SOCKET = 100
/** A server closes the WebSocket, with all that runs on it, for a message of more than 64 KiB. */
const SUBSCRIPTION_BYTES = 65_000

interface Socket {
  readonly client: SocketClient
  /** Subscriptions on it. */
  used: number
}

/** Calls and subscriptions of one client; nothing is sent before the first. */
export class Connection {
  readonly #options: ConnectOptions
  readonly #url: string
  readonly #sockets: Socket[] = []
  readonly #closed = new AbortController()
  /** It takes pages of this origin, so no failure is for that. */
  #hasAnswered = false
  #state: ConnectionState = 'idle'
  readonly #watchers = new Set<() => void>()
  #followers = 0

  constructor(options: ConnectOptions) {
    this.#options = options
    this.#url = graphqlUrl(options.url)
    this.#addSocket()
  }

  /** Aborted when the client is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** Aborted with the signal, and when the client is closed. */
  until(signal: AbortSignal = this.closed): AbortSignal {
    return AbortSignal.any([signal, this.closed])
  }

  /** 'offline' between a loss and the next success, however many attempts lie between, while anything is followed. */
  get state(): ConnectionState {
    return this.#state
  }

  /** Calls `watcher` after each change of `state`, until what it returns is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** 1: one more subscription is followed, across all its connections; -1: one of them has ended. */
  follows(change: 1 | -1): void {
    this.#followers += change
    if (this.#followers === 0 && this.#state === 'offline') this.#enter('idle')
  }

  #enter(state: ConnectionState): void {
    if (this.#state === state) return
    const { onConnection } = this.#options
    if (this.#state === 'open') onConnection?.('closed')
    this.#state = state
    for (const watcher of this.#watchers) watcher()
    if (state === 'open') onConnection?.('open')
  }

  /**
   * Sends a query or mutation and returns its data. Sends it again only where the server was too busy to let it in:
   * then nothing of it has happened. Throws ClientError, or the signal's reason.
   */
  async request<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    { signal, answerWithinMs = ANSWER_WITHIN_MS, isPatient = false }: Calling = {},
  ): Promise<Data> {
    const until = this.until(signal)
    const waiting = AbortSignal.any([until, AbortSignal.timeout(this.#options.patienceMs ?? PATIENCE_MS)])
    const backoff = new Backoff()
    const body = JSON.stringify({ query: document.toString(), variables })
    for (;;) {
      try {
        const result = await this.#fetch(this.#url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
          signal: until,
          answerWithinMs: answerWithinMs + body.length / SENT_BYTES_PER_MS,
        })
        return dataOf(result) as Data
      } catch (error) {
        if (!(error instanceof ClientError) || !(isPatient ? error.isPassing : error.code === 'OVERLOADED')) throw error
        await backoff.pause(error.retryAfterMs, waiting)
        until.throwIfAborted()
        if (waiting.aborted) throw error
      }
    }
  }

  /**
   * Sends a file, once, to a path of the server; gives the JSON of the answer, also of a refusal. Throws ClientError,
   * or the signal's reason.
   */
  put(path: string, body: FileBody, signal: AbortSignal): Promise<Answer> {
    return this.#fetch(this.#url.replace(/\/graphql$/, path), { method: 'PUT', body: body as BodyInit, signal })
  }

  async #fetch(url: string, { signal, answerWithinMs, ...request }: Sent): Promise<Answer> {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const expectMore = (): void => {
      clearTimeout(timer)
      if (answerWithinMs) timer = setTimeout(() => silence.abort(), answerWithinMs)
    }
    try {
      const until = AbortSignal.any([signal, silence.signal])
      expectMore()
      const headers = { ...request.headers, ...(await this.#authorization(until)) }
      const response = await fetch(url, { ...request, headers, signal: until })
      const answer = parse(await textOf(response, expectMore))
      if (ANSWERED.some((field) => field in answer)) {
        this.#hasAnswered = true
        return answer
      }
      const { status } = response
      // Of what stands between: a proxy that takes less, or speaks for a server which is away, or a wrong address.
      if (status === 413) throw new ClientError('LIMIT_EXCEEDED', `A proxy before ${url} takes nothing this large.`)
      const code = status >= 500 ? 'UNREACHABLE' : 'BAD_RESPONSE'
      throw new ClientError(code, `The answer of ${url} (${status}) is not Factotum's.`)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ClientError) throw error
      throw (await this.#originRefusal()) ?? new ClientError('UNREACHABLE', `No answer from ${url}.`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * The same, again and again while the failure is a passing one, at most for `patienceMs`. Only for what may be
   * repeated.
   */
  requestPatiently<Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Data> {
    return this.request(document, variables, { signal, isPatient: true })
  }

  /**
   * A subscription, until the server or the caller ends it. Throws ClientError when it breaks. `variables` are read
   * again whenever it is sent.
   */
  async *subscribe<Data, Variables extends object>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
    signal: AbortSignal,
  ): AsyncGenerator<Data, void, void> {
    const inbox = new Inbox<Result>(() => leave())
    const end = (): void => inbox.complete()
    const payload = { query: document.toString(), variables: variables as Record<string, unknown> }
    if (new Blob([JSON.stringify(payload)]).size > SUBSCRIPTION_BYTES)
      throw new ClientError('BAD_REQUEST', 'A subscription has at most 64 kB.')
    const socket = this.#sockets.find(({ used }) => used < SUBSCRIPTIONS_PER_SOCKET) ?? this.#addSocket()
    socket.used += 1
    const leave = socket.client.subscribe(payload, inbox)
    // After 1000 graphql-ws asks again at once, also for what still waits for the loop.
    const unlisten = socket.client.on('closed', (event) => {
      if (inbox.length === 0) return
      inbox.error(event)
      leave()
    })
    signal.addEventListener('abort', end)
    try {
      for await (const result of inbox.items()) {
        if (signal.aborted) return
        yield dataOf(result) as Data
      }
    } catch (error) {
      throw (await this.#originRefusal()) ?? socketError(error)
    } finally {
      signal.removeEventListener('abort', end)
      unlisten()
      socket.used -= 1
      leave()
    }
  }

  /** Ends everything that is under way; the WebSocket closes with the last subscription. */
  close(): void {
    this.#closed.abort()
  }

  #addSocket(): Socket {
    const { webSocketImpl } = this.#options
    let silence: ReturnType<typeof setTimeout> | undefined
    let pongWithinMs = PONG_WITHIN_MS
    const expectWithin = (ms: number): void => {
      clearTimeout(silence)
      silence = ms ? setTimeout(() => client.terminate(), ms) : undefined
    }
    let authorization: Promise<{ readonly authorization?: string }>
    const client: SocketClient = createClient({
      // A server waits three seconds for the token, which may take longer: it is there before the socket is.
      url: async () => {
        authorization = this.#authorization(this.closed)
        await authorization.catch(() => {})
        expectWithin(OPEN_WITHIN_MS)
        return this.#url.replace(/^http/, 'ws')
      },
      // That of "ws" throws what nothing listens to, as graphql-ws does not once it has given a connection up.
      webSocketImpl:
        webSocketImpl &&
        class extends (webSocketImpl as typeof WebSocket) {
          readonly error = this.addEventListener('error', () => {})
        },
      connectionParams: () => authorization,
      // Coming back is ours: with the seq of the last event, which graphql-ws does not know.
      retryAttempts: 0,
      keepAlive: PING_EVERY_MS,
      on: {
        connecting: () => {
          if (this.#state === 'idle') this.#enter('connecting')
        },
        connected: () => {
          this.#hasAnswered = true
          this.#enter('open')
        },
        ping: (received) => {
          if (received) return
          expectWithin(pongWithinMs)
          pongWithinMs = Math.min(2 * pongWithinMs, PONG_AT_LAST_WITHIN_MS)
        },
        // What a ping asked for may be far behind events that were on their way.
        message: ({ type }) => {
          if (/pong/.test(type)) pongWithinMs = PONG_WITHIN_MS
          if (silence) expectWithin(/pong|ack/.test(type) ? 0 : pongWithinMs)
        },
        closed: (event) => {
          expectWithin(0)
          // 1000: it was closed on purpose, with the last subscription.
          const isLost = this.#followers > 0 && (event as { readonly code?: number }).code !== 1000
          if (isLost) this.#enter('offline')
          else if (this.#sockets.every(({ used }) => used === 0)) this.#enter('idle')
        },
      },
    })
    const socket: Socket = { client, used: 0 }
    this.#sockets.push(socket)
    return socket
  }

  /**
   * Browsers do not tell why they get no answer. Later ones are of a server that restarts behind its proxy. Loaded when
   * it is needed, as few pages ever do; where it cannot be, the network is away.
   */
  async #originRefusal(): Promise<ClientError | null | undefined> {
    if (this.#hasAnswered) return null
    const loaded = await import('./origin-refusal.ts').catch(() => null)
    return loaded?.originRefusal(this.#url)
  }

  async #authorization(signal: AbortSignal): Promise<{ readonly authorization?: string }> {
    const { token } = this.#options
    if (token === undefined) return {}
    try {
      const until = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)])
      until.throwIfAborted()
      const given = typeof token === 'string' ? token : await Promise.race([token(), noToken(until)])
      return { authorization: `Bearer ${given}` }
    } catch (error) {
      // What gets the token asks a network, too, as a rule: its failure may pass.
      throw asClientError(error, 'UNREACHABLE', 'No token: ')
    }
  }
}

/** Rejects when the signal is aborted, which it is not yet. */
function noToken(until: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    until.addEventListener('abort', () => reject(new Error('give its function a deadline.')))
  })
}

function graphqlUrl(url: string): string {
  if (!/^https?:\/\//.test(url)) throw new TypeError(`url: "${url}" is no http(s) URL.`)
  const address = new URL(url)
  address.pathname = address.pathname.replace(/(\/graphql)?\/?$/, '/graphql')
  return address.href
}

/** `onPart`: a part of it is here, however slow the network is. React Native gives no parts. */
function textOf(response: Response, onPart: () => void): Promise<string> {
  onPart()
  const transform: TransformerTransformCallback<Uint8Array, Uint8Array> = (part, carried) => {
    onPart()
    carried.enqueue(part)
  }
  return (response.body ? new Response(response.body.pipeThrough(new TransformStream({ transform }))) : response).text()
}

/** Without fields where it is no JSON of an object. */
function parse(text: string): Answer {
  try {
    return Object(JSON.parse(text)) as Answer
  } catch {
    return {}
  }
}

function dataOf({ data, errors }: Result): unknown {
  if (errors?.[0] || data == null) throw ClientError.ofServer(errors)
  return data
}

/**
 * graphql-ws rejects with the errors of the operation, with how the socket was closed, or with whatever the platform
 * has.
 */
function socketError(error: unknown): ClientError {
  if (error instanceof ClientError) return error
  if (Array.isArray(error)) return ClientError.ofServer(error as ServerError[])
  const { code, reason } = error as { readonly code?: unknown; readonly reason?: string }
  const why = reason || 'The connection was lost.'
  const lost = PROTOCOL_CODES.test(String(code)) ? 'BAD_RESPONSE' : 'UNREACHABLE'
  // A token that ended is asked for anew; the same one again is refused without that reason.
  const isRefused = code === UNAUTHENTICATED_CODE && !why.startsWith('TOKEN_REMOVED')
  return new ClientError(isRefused ? 'UNAUTHENTICATED' : lost, why.replace('UNAUTHENTICATED: ', ''), { cause: error })
}
