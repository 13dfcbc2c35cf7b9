/**
 * When this process is to stop: a signal asks, or the process that passes signals on to it has ended without one (`kill
 * -9`, or a shell that a SIGTERM has ended). In place from the first moment, so that a start is broken off as well,
 * also by process 1 of a container, for which a signal without a listener does nothing.
 */
import type { Clock } from './platform/clock.ts'
import type { Logger } from './platform/logger.ts'
import { Periodic } from './platform/waiting/periodic.ts'

export interface StopRequestsOptions {
  /** The process id of `forwarderOf`. */
  readonly forwarder: number | null
  readonly clock: Clock
  readonly logger: Logger
}

const POLL_MS = 500
/**
 * A terminal and a supervisor send a signal to us and to our forwarder, which passes it on: that is one request, not
 * two.
 */
const ECHO_MS = 1000

/**
 * Which process passes signals on to this one: `bin/factotum.js`, which says so, or npm or its shell, whose child we
 * are. Null: none. `parent`: who started this process.
 */
export function forwarderOf(environment: Readonly<Record<string, string | undefined>>, parent: number): number | null {
  const launcher = environment['FACTOTUM_LAUNCHER']
  if (launcher !== undefined) return Number(launcher)
  return environment['npm_lifecycle_event'] === undefined ? null : parent
}

export class StopRequests implements Disposable {
  readonly #options: StopRequestsOptions
  readonly #stopping = new AbortController()
  #askedAtMs = 0
  #poll: Periodic | null = null

  /** Listens from now on. A second signal, while this process stops, ends it at once with exit code 1. */
  constructor(options: StopRequestsOptions) {
    this.#options = options
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => this.#hear(signal))
    if (options.forwarder !== null) this.#followForwarder(options.forwarder)
  }

  /** Aborts when this process is to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  /** What could not start is not to be kept alive by waiting for its forwarder's end. Signals are heard on. */
  [Symbol.dispose](): void {
    void this.#poll?.stop()
  }

  #hear(signal: NodeJS.Signals): void {
    const { clock, logger, forwarder } = this.#options
    if (!this.#stopping.signal.aborted) {
      this.#askedAtMs = clock.monotonicMs()
      logger.info({ signal }, 'stopping')
      return this.#stopping.abort()
    }
    if (forwarder !== null && clock.monotonicMs() - this.#askedAtMs < ECHO_MS) return
    logger.warn({ signal }, 'second signal: leaving at once; running turns will be continued')
    process.exit(1)
  }

  #followForwarder(forwarder: number): void {
    const { clock, logger } = this.#options
    const tick = (): Promise<void> => {
      if (process.ppid !== forwarder) {
        logger.warn({ forwarder }, 'stopping: the process that started this one is gone')
        this.#askedAtMs = clock.monotonicMs()
        this.#stopping.abort()
      }
      return Promise.resolve()
    }
    const name = 'poll for the process that started this one'
    const poll = new Periodic({ name, everyMs: POLL_MS, tick, isOutage: () => false, clock, logger })
    this.#stopping.signal.addEventListener('abort', () => void poll.stop(), { once: true })
    poll.start()
    this.#poll = poll
  }
}
