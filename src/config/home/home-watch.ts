/**
 * Whether FACTOTUM_HOME can be worked with: it is still the folder of the start (it may be unmounted, moved or deleted
 * while the server runs) and takes new files (its disk may be full or mounted read-only). The same of the folder of
 * workspaces where that is a mount. Probed each second; a change is logged.
 */
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isOutage, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import type { Timing } from '../timing.ts'
import { hasCode } from '../../platform/error-code.ts'
import { findHomeDisks, identify, type HomeDisk } from './home-disks.ts'

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
  readonly #disks: readonly HomeDisk[]
  #problem: string | null = null

  private constructor(options: HomeWatchOptions, disks: readonly HomeDisk[]) {
    this.#options = options
    this.#disks = disks
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

  /** Takes what is there now for the right folders. Call `stop`. */
  static async start(options: HomeWatchOptions): Promise<HomeWatch> {
    const watch = new HomeWatch(options, await findHomeDisks(options.home))
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
    for (const disk of this.#disks) {
      const problem = await probe(disk)
      if (problem !== null) return problem
    }
    return null
  }

  #remember(problem: string | null): void {
    const { home, logger } = this.#options
    if (problem === this.#problem) return
    this.#problem = problem
    if (problem === null) logger.info({ home }, 'FACTOTUM_HOME can be used again')
    else logger.error({ home, problem }, 'FACTOTUM_HOME cannot be used: commands and files fail until it can')
  }
}

async function probe({ path, identity }: HomeDisk): Promise<string | null> {
  const file = join(path, `.probe-${process.pid}`)
  try {
    if ((await identify(path)) !== identity) return `${path} is another folder than when the server started`
    await writeFile(file, PROBE, { mode: 0o600 })
    return null
  } catch (error) {
    return await describe(path, error)
  } finally {
    await rm(file, { force: true }).catch(() => undefined) // the problem was returned above
  }
}

async function describe(path: string, error: unknown): Promise<string> {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) return `${path} is not there any more`
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) {
    return (await lacksInodes(path))
      ? `the disk of ${path} can hold no further files (df -i)`
      : `the disk of ${path} is full`
  }
  if (hasCode(error, 'EROFS')) return `${path} is mounted read-only`
  return `${path} takes no files: ${messageOf(error)}`
}

/** A disk with space left may be out of inodes. Some systems have no fixed number of them: `files` is 0 there. */
async function lacksInodes(path: string): Promise<boolean> {
  const disk = await statfs(path).catch(() => null)
  return disk !== null && disk.files > 0 && disk.ffree === 0
}
