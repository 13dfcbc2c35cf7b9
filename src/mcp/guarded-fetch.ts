/**
 * HTTP to a server of tools, which is a stranger: it cannot lead the server into its own network, send it elsewhere,
 * answer without end, or keep it busy with a flood of events.
 */
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent, fetch as request } from 'undici'
import { AppError } from '../core/errors.ts'
import type { AddressGuard } from '../delivery/address-guard.ts'
import type { Clock } from '../platform/clock.ts'
import { VERSION } from '../platform/version.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { isUnsent } from './is-unsent.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { Pace } from './pace.ts'

const MAX_HEADER_BYTES = 16_384
const CONNECTIONS = 16
const CONNECT_MS = 10_000
/** Beyond a call's own time: that one ends first. */
const GRACE_MS = 5000
const NEWLINE = 10

export interface GuardedFetchOptions {
  /** Null: the admin has allowed whatever the address leads to. */
  readonly guard: AddressGuard | null
  readonly timeoutMs: number
  readonly tracing: Pick<Tracing, 'headers'>
  readonly clock: Clock
  /** There is no server any more, or it has forgotten the session: the connection is of no use. */
  readonly onLost: () => void
}

/** One for each connection. */
export class GuardedFetch {
  readonly #guard: AddressGuard | null
  readonly #agent: Agent
  readonly #pace: Pace
  readonly #onLost: () => void
  readonly #tracing: Pick<Tracing, 'headers'>
  readonly #clock: Clock
  readonly #timeoutMs: number

  constructor({ guard, timeoutMs, tracing, clock, onLost }: GuardedFetchOptions) {
    this.#guard = guard
    this.#timeoutMs = timeoutMs
    this.#pace = new Pace(clock)
    this.#onLost = onLost
    this.#tracing = tracing
    this.#clock = clock
    this.#agent = new Agent({
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: { timeout: CONNECT_MS, ...(guard === null ? {} : { lookup: guard.lookup }) },
      headersTimeout: timeoutMs + GRACE_MS,
      bodyTimeout: 0, // a stream of events may be silent
    })
  }

  /** Rejects with TOOLS_UNREACHABLE when the address is not allowed, and nothing was sent; else as fetch does. */
  readonly fetch: FetchLike = async (url, init) => {
    const problem = this.#guard?.findProblemIn(String(url)) ?? null
    if (problem !== null) throw new AppError('TOOLS_UNREACHABLE', `The address ${problem}.`)
    const headers = new Headers(init?.headers)
    headers.set('user-agent', `factotum/${VERSION}`)
    for (const [name, value] of Object.entries(this.#tracing.headers())) headers.set(name, value)
    const { body, method = 'GET', signal } = init ?? {}
    const life = this.#lifeOf(method, signal)
    const answer = await request(String(url), {
      dispatcher: this.#agent,
      redirect: 'manual',
      method,
      headers: Object.fromEntries(headers),
      ...(typeof body === 'string' ? { body } : {}),
      signal: life.signal,
    }).catch((error: unknown) => {
      life.end()
      if (isUnsent(error)) this.#lose()
      throw error
    })
    if (answer.body === null) life.end()
    if (answer.status === 404 && headers.has('mcp-session-id')) this.#lose()
    if (answer.status >= 300 && answer.status < 400) {
      life.end()
      await answer.body?.cancel()
      throw new Error('The server redirects to another address, which is not followed.')
    }
    return this.#bounded(answer as unknown as Response, life.end)
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  /** Not before the call that has found it out has its own end. */
  #lose(): void {
    this.#clock.after(0, this.#onLost)
  }

  /**
   * A call that was given up is no longer read, but its answer, which may never end, would hold one of the few
   * connections for good. What a GET follows has no end.
   */
  #lifeOf(method: string, given: AbortSignal | null | undefined): { signal: AbortSignal; end: () => void } {
    const overdue = new AbortController()
    const end =
      method === 'GET' ? () => undefined : this.#clock.after(this.#timeoutMs + GRACE_MS, () => overdue.abort())
    return { signal: given == null ? overdue.signal : AbortSignal.any([given, overdue.signal]), end }
  }

  #bounded(answer: Response, onEnd: () => void): Response {
    const { body, status, headers } = answer
    if (body === null) return answer
    const isStream = headers.get('content-type')?.includes('text/event-stream') === true
    return new Response(body.pipeThrough(this.#limit(isStream, onEnd)), { status, headers })
  }

  /** Counts the bytes of the body, or of the event that is under way, and takes events at a pace. */
  #limit(isStream: boolean, onEnd: () => void): TransformStream<Uint8Array, Uint8Array> {
    let bytes = 0
    return new TransformStream({
      transform: async (chunk, controller) => {
        const end = isStream ? endOfEvents(chunk) : { count: 0, last: -1 }
        await this.#pace.take(end.count)
        bytes = end.last === -1 ? bytes + chunk.length : chunk.length - end.last
        if (bytes > MAX_MESSAGE_BYTES) controller.error(new Error('The server sent a message that is too large.'))
        else controller.enqueue(chunk)
      },
      flush: onEnd,
    })
  }
}

/** Events end with an empty line. One that is split between two pieces is found late, which only counts more bytes. */
function endOfEvents(chunk: Uint8Array): { readonly count: number; readonly last: number } {
  let count = 0
  let last = -1
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    const next = chunk[at + 1] === 13 ? chunk[at + 2] : chunk[at + 1]
    if (next !== NEWLINE) continue
    count += 1
    last = at
  }
  return { count, last }
}
