/**
 * One post to a webhook: what is sent, and what came of it. A receiver is a stranger: it gets a limited time for
 * everything, little of its answer is read, it cannot send us elsewhere, and where it leads is checked by the socket
 * that connects.
 */
import { Agent, request } from 'undici'
import { messageOf } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { retryAfterMs } from '../platform/waiting/retry-after.ts'
import { VERSION } from '../platform/version.ts'
import type { AddressGuard } from './address-guard.ts'

export type PostResult =
  | { readonly kind: 'Answered'; readonly statusCode: number; readonly retryAfterMs: number | null }
  /** `silent`: the receiver took the whole time and did not answer. */
  | { readonly kind: 'Failed'; readonly error: string; readonly silent: boolean }

export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface PosterOptions {
  readonly guard: AddressGuard
  readonly clock: Clock
  /** For all of an attempt: connecting, sending, the answer's headers, and as much of its body as is read. */
  readonly timeoutMs?: number
  readonly connectionsPerHost?: number
}

const MAX_HEADER_BYTES = 16_384
const MAX_BODY_BYTES = 4096
/** An open connection is used again; a name that leads elsewhere now is looked up again soon. */
const KEEP_ALIVE_MS = 4000
export const POST_TIMEOUT_MS = 15_000
export const CONNECTIONS_PER_HOST = 4

const NOT_REACHED = 'The webhook could not be reached'

/** What is recorded of an attempt, without addresses of the network that the server is in. */
export function withoutReason(error: string): string {
  return error.startsWith(`${NOT_REACHED}: `) ? `${NOT_REACHED}.` : error
}

export class Poster {
  readonly #guard: AddressGuard
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #agent: Agent

  constructor({ guard, clock, timeoutMs = POST_TIMEOUT_MS, connectionsPerHost = CONNECTIONS_PER_HOST }: PosterOptions) {
    this.#guard = guard
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#agent = new Agent({
      connections: connectionsPerHost,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      connect: { lookup: guard.lookup, timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
  }

  /** Never rejects but with the reason of `signal`. */
  async post(post: Post, signal: AbortSignal): Promise<PostResult> {
    const problem = this.#guard.findProblemIn(post.url)
    if (problem !== null) return { kind: 'Failed', error: `The webhook ${problem}.`, silent: false }
    const time = new AbortController()
    const cancel = this.#clock.after(this.#timeoutMs, () => time.abort())
    try {
      return await this.#send(post, AbortSignal.any([signal, time.signal]))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      return { kind: 'Failed', error: this.#describe(error, time.signal.aborted), silent: time.signal.aborted }
    } finally {
      cancel()
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #send({ url, headers, body }: Post, signal: AbortSignal): Promise<PostResult> {
    const answering = request(url, {
      dispatcher: this.#agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `factotum/${VERSION}`, ...headers },
      body,
      signal,
    })
    const answer = await unlessAborted(answering, signal)
    const { statusCode } = answer
    const retryAfter = answer.headers['retry-after']
    const asked = new Headers(typeof retryAfter === 'string' ? { 'retry-after': retryAfter } : {})
    // The status is the answer. What the body holds, or that it breaks off or never ends, changes nothing.
    await answer.body.dump({ limit: MAX_BODY_BYTES, signal }).catch(() => undefined)
    return { kind: 'Answered', statusCode, retryAfterMs: retryAfterMs(asked, this.#clock.now()) }
  }

  #describe(error: unknown, tookTooLong: boolean): string {
    if (tookTooLong) return `The webhook did not answer within ${this.#timeoutMs / 1000} s.`
    const reasons = error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : messageOf(error)
    return `${NOT_REACHED}: ${reasons}.`
  }
}

/**
 * Rejects as soon as `signal` aborts. undici heeds it only once it is connected: until then an address that lets no one
 * connect would keep a process that stops. A post that has not begun by then is never sent.
 */
function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
