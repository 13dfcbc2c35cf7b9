/**
 * The wire to language models: the `fetch` that the openai client is given for one call. On top of Node's http client
 * it keeps connections open between calls (one pool per server process), honours HTTPS_PROXY and NO_PROXY, never
 * follows a redirect (a prompt goes where the configuration says, or nowhere), and ends an answer that is silent,
 * endless or too large. Why not Node's own fetch: it ends every answer after 300 s of silence, whatever
 * `llm_idle_timeout` says, and it cannot be configured without a second copy of its library. Measured: half the CPU per
 * call (bench/README.md).
 *
 * What must hold: whatever the other side does, the returned promise or the body's reader settles within the limits,
 * and the socket and the timers are gone when it has.
 */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type AgentOptions,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Clock } from '../../platform/clock.ts'
import { AnswerCut, AnswerGauge } from '../answer-gauge.ts'
import { isEventStream } from './event-stream.ts'
import { AnswerBytes, StreamedAnswer } from './answer-bytes.ts'

interface AnswerLimits {
  /** No byte for this long ends the answer. */
  readonly idleMs: number
  /** The whole answer may take this long, however steadily it drips. */
  readonly totalMs: number
}

/** What the openai client calls; it passes an URL as text, a Headers object and a body as text. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>
/** A `fetch` for one call. */
export type FetchWithin = (limits: AnswerLimits) => Fetch

const DRAIN_MS = 250
/** A connection that was closed while it was idle says so at once: a later reset came of the request. */
const STALE_MS = 1000

interface HttpTransportOptions {
  /** Asked for each request, for what it is to carry besides. */
  readonly headers?: () => Readonly<Record<string, string>>
  /** For HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxyEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/**
 * Makes the pool of connections, one for each process; sockets that are idle keep no process alive. The returned
 * `fetch`, or the body that it resolves with, fails with AnswerCut for a limit, with the signal's reason when aborted,
 * and with Node's error when the network fails. It repeats a request once, on a connection of its own, when a kept one
 * was closed within a second and before any byte of an answer.
 */
export function createHttpTransport({ proxyEnv, clock, headers = () => ({}) }: HttpTransportOptions): FetchWithin {
  const agents = { kept: agentsOf({ keepAlive: true, proxyEnv }), fresh: agentsOf({ keepAlive: false, proxyEnv }) }
  return (limits) => (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return new Exchange({ url, init: init ?? {}, more: headers(), limits, clock, agents }).start()
  }
}

interface AgentsByProtocol {
  readonly 'http:': HttpAgent
  readonly 'https:': HttpsAgent
}

function agentsOf(options: Pick<AgentOptions, 'keepAlive' | 'proxyEnv'>): AgentsByProtocol {
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) }
}

interface ExchangeOptions {
  readonly url: URL
  readonly init: RequestInit
  /** Headers besides those of `init`. */
  readonly more: Readonly<Record<string, string>>
  readonly limits: AnswerLimits
  readonly clock: Clock
  /** Of connections that are used again, and of those that are not. */
  readonly agents: { readonly kept: AgentsByProtocol; readonly fresh: AgentsByProtocol }
}

/**
 * One request and its answer. It ends once: by the end of the body, by a failure, by a limit or by the caller's signal.
 */
class Exchange {
  readonly #options: ExchangeOptions
  #request: ClientRequest | null = null
  #response: IncomingMessage | null = null
  #ended = false
  /** Fails the promise of the headers, or the reader of the body. */
  #report: (error: unknown) => void = () => {}
  #cancelIdle: () => void = () => {}
  #cancelTotal: () => void = () => {}

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  start(): Promise<Response> {
    const { clock, limits, init } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    this.#report = reject
    this.#cancelTotal = clock.after(limits.totalMs, () =>
      this.#fail(new AnswerCut('duration', `it was not complete after ${limits.totalMs / 1000} s`)),
    )
    if (init.signal?.aborted === true) this.#onAbort()
    else this.#send(resolve, 'kept')
    init.signal?.addEventListener('abort', this.#onAbort, { once: true })
    return promise
  }

  #send(resolve: (response: Response) => void, connection: 'kept' | 'fresh'): void {
    const { url, init, more, agents, clock } = this.#options
    const sentMs = clock.monotonicMs()
    const body = Buffer.from(typeof init.body === 'string' ? init.body : '')
    const headers = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...more,
      'accept-encoding': 'identity',
      'content-length': body.length,
    }
    const secure = url.protocol === 'https:'
    const agent = agents[connection][secure ? 'https:' : 'http:']
    const request = (secure ? httpsRequest : httpRequest)(url, { method: init.method ?? 'GET', agent, headers })
    this.#request = request
    this.#touch()
    request.on('information', () => this.#touch())
    request.on('response', (response) => {
      this.#response = response
      this.#touch()
      try {
        resolve(this.#toResponse(response))
      } catch (error) {
        this.#fail(error)
      }
    })
    request.on('upgrade', (_, socket) => {
      socket.destroy()
      this.#fail(new AnswerCut('protocol', 'the server wants to speak another protocol'))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // Most likely the other side had just closed it and read nothing; where it did read, no third request is made.
      const isStale =
        connection === 'kept' &&
        request.reusedSocket &&
        error.code === 'ECONNRESET' &&
        this.#response === null &&
        clock.monotonicMs() - sentMs < STALE_MS
      if (isStale && !this.#ended) this.#send(resolve, 'fresh')
      else this.#fail(error) // also of the body: a broken chunk is reported only here
    })
    request.end(body)
  }

  #toResponse(response: IncomingMessage): Response {
    const status = response.statusCode ?? 0
    if (status < 200 || status > 599) throw new AnswerCut('protocol', `its HTTP status is ${status}`)
    const encoding = response.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity')
      throw new AnswerCut('protocol', `it is compressed (${encoding}), which was not asked for`)
    const headers = new Headers()
    for (const [name, values] of Object.entries(response.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value)
    }
    const bytes = this.#bytesOf(response)
    if (status === 204 || status === 205 || status === 304) bytes.cancel()
    return new StreamedAnswer(bytes, { status, headers })
  }

  #bytesOf(response: IncomingMessage): AnswerBytes {
    const bytes = new AnswerBytes({
      resume: () => void response.resume(),
      pause: () => void response.pause(),
      cancel: () => this.#finish(response),
    })
    this.#report = (error) => bytes.fail(error)
    this.#pump(response, bytes)
    return bytes
  }

  #pump(response: IncomingMessage, bytes: AnswerBytes): void {
    const gauge = new AnswerGauge({
      isError: (response.statusCode ?? 0) >= 300,
      isStream: isEventStream(response.headers['content-type']),
    })
    response.on('data', (chunk: Buffer) => {
      this.#touch()
      const verdict = gauge.add(chunk)
      if (verdict instanceof AnswerCut) return this.#fail(verdict)
      bytes.push(chunk)
      if (verdict === 'enough') {
        bytes.end()
        this.#finish(response)
      }
    })
    response.on('end', () => {
      if (this.#ended) return
      this.#settle()
      bytes.end()
    })
    response.on('error', (error) => this.#fail(error))
    response.on('close', () =>
      this.#fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })),
    )
  }

  /**
   * The reader has what it wants, usually all but the last bytes: reads those away, so that the connection can be used
   * again, unless there are many.
   */
  #finish(response: IncomingMessage): void {
    this.#settle()
    response.removeAllListeners('data')
    const cancel = this.#options.clock.after(DRAIN_MS, () => response.destroy())
    response.once('close', cancel)
    response.resume()
  }

  readonly #onAbort = (): void => this.#fail(this.#options.init.signal?.reason)

  /** Something came: the silence begins anew. */
  #touch(): void {
    const { clock, limits } = this.#options
    this.#cancelIdle()
    if (this.#ended) return
    this.#cancelIdle = clock.after(limits.idleMs, () =>
      this.#fail(new AnswerCut('silence', `nothing came for ${limits.idleMs / 1000} s`)),
    )
  }

  #fail(error: unknown): void {
    if (this.#ended) return
    this.#settle()
    this.#request?.destroy()
    this.#response?.destroy()
    this.#report(error)
  }

  #settle(): void {
    this.#ended = true
    this.#cancelIdle()
    this.#cancelTotal()
    this.#options.init.signal?.removeEventListener('abort', this.#onAbort)
  }
}
