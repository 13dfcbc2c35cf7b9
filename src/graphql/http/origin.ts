/**
 * Which websites may talk to us from a browser: the one we serve ourselves, those of `cors_origins`, and outside
 * production pages that this machine serves to itself (a frontend under development). Whom it refuses is logged, so
 * that its operator learns what to add.
 */
import type { CORSOptions } from 'graphql-yoga'
import type { LiveConfig } from '../../config/config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { RefusalLog } from './refusal-log.ts'

/** What pages of listed origins may read of an answer's headers, besides those that they always may. */
export const EXPOSED_HEADERS: readonly string[] = ['x-request-id', 'retry-after']

export interface OriginsOptions {
  readonly config: Pick<LiveConfig, 'current'>
  readonly production: boolean
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly logger: Pick<Logger, 'warn'>
}

export class Origins {
  readonly #options: OriginsOptions
  readonly #refusals: RefusalLog

  constructor(options: OriginsOptions) {
    this.#options = options
    this.#refusals = new RefusalLog(options.clock, (origin) =>
      options.logger.warn(
        { origin },
        `a page of another website was refused; if it is yours, add ${JSON.stringify(origin)} to cors_origins under [settings] in config.toml`,
      ),
    )
  }

  /**
   * Whether the page may open a WebSocket. Programs send no origin and may; browsers always send one, "null" from
   * sandboxed frames and files.
   */
  isAllowed(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || this.#isListed(origin) || this.#isOwn(origin, host)) return true
    this.#refusals.refused(origin)
    return false
  }

  /** Lets pages of a listed origin send any header and read our answers; for all others CORS is off. */
  corsFor(origin: string | null, host: string | null): CORSOptions {
    if (origin === null || !this.#isListed(origin)) {
      if (origin !== null && !this.#isOwn(origin, host)) this.#refusals.refused(origin)
      return false
    }
    return {
      origin: [origin],
      methods: ['GET', 'POST'],
      exposedHeaders: [...EXPOSED_HEADERS],
      credentials: false,
      maxAge: 7200,
    }
  }

  #isListed(origin: string): boolean {
    const { config, production } = this.#options
    return config.current().settings.corsOrigins.includes(origin) || (!production && isLocalPage(origin))
  }

  #isOwn(origin: string, host: string | null | undefined): boolean {
    return isOwnOrigin(origin, host ?? null, this.#options.config.current().settings.publicUrl)
  }
}

/** A page that we serve, also through a proxy that does not pass `Host` on, as long as `public_url` says how. */
export function isOwnOrigin(origin: string, host: string | null, publicUrl: string | null): boolean {
  return isSame(origin, host) || (publicUrl !== null && new URL(publicUrl).origin === origin)
}

/** Our own page. */
function isSame(origin: string, host: string | null): boolean {
  return URL.canParse(origin) && new URL(origin).host === host
}

function isLocalPage(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : null
  return url !== null && /^https?:$/.test(url.protocol) && isLoopback(url.hostname)
}

/** Whether a name in a URL means the machine itself. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}
