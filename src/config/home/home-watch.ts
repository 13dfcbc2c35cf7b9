/**
 * Whether FACTOTUM_HOME can be worked with: it is still the folder of the start (it may be unmounted, moved or deleted
 * while the server runs) and takes new files (its disk may be full or mounted read-only). Probed each second; a change
 * is logged.
 */
import { stat, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOutage, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import type { Timing } from '../timing.ts'
import { hasCode } from '../../platform/error-code.ts'

export interface HomeWatchOptions {
  readonly home: string
  readonly timing: Pick<Timing, 'homePollMs'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Less free space than that is none. It is gone again before the system writes it to the disk. */
const PROBE = Buffer.alloc(64 << 10)

export class HomeWatch {
  readonly #options: HomeWatchOptions
  readonly #poll: Periodic
  readonly #probePath: string
  readonly #identity: string
  #problem: string | null = null

  private constructor(options: HomeWatchOptions, identity: string) {
    this.#options = options
    this.#identity = identity
    this.#probePath = join(options.home, `.probe-${process.pid}`)
    const { timing, clock, logger } = options
    const tick = async (): Promise<void> => this.#remember(await this.#probe())
    this.#poll = new Periodic({
      name: 'probe of FACTOTUM_HOME',
      everyMs: timing.homePollMs,
      tick,
      isOutage,
      clock,
      logger,
    })
  }

  /** Takes the folder that is there now for the right one. Call `stop`. */
  static async start(options: HomeWatchOptions): Promise<HomeWatch> {
    const watch = new HomeWatch(options, await identify(options.home))
    watch.#poll.start()
    return watch
  }

  /** What is wrong with it, in words for an operator; null: nothing. */
  get problem(): string | null {
    return this.#problem
  }

  async stop(): Promise<void> {
    await this.#poll.stop()
  }

  async #probe(): Promise<string | null> {
    const { home } = this.#options
    try {
      if ((await identify(home)) !== this.#identity) return `${home} is another folder than when the server started`
      await writeFile(this.#probePath, PROBE, { mode: 0o600 })
      return null
    } catch (error) {
      return describe(home, error)
    } finally {
      await rm(this.#probePath, { force: true }).catch(() => undefined) // the problem was returned above
    }
  }

  #remember(problem: string | null): void {
    const { home, logger } = this.#options
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === null) logger.info({ home }, 'FACTOTUM_HOME can be used again')
    else logger.error({ home, problem }, 'FACTOTUM_HOME cannot be used: commands and files fail until it can')
  }
}

async function identify(home: string): Promise<string> {
  const { dev, ino } = await stat(home, { bigint: true })
  return `${dev} ${ino}`
}

function describe(home: string, error: unknown): string {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return `${home} is not there any more`
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return `the disk of ${home} is full`
  if (hasCode(error, 'EROFS')) return `${home} is mounted read-only`
  return `${home} takes no files: ${messageOf(error)}`
}
