/**
 * `onPipelineComplete`: every plugin that was enabled when a turn ended is given its end at least once, by whichever
 * process, by a job of its own. The commit of the end has written who is due; a sweep finds what a crash left between
 * that commit and the job. One that is called and throws, or is late, was given it; one that is not running, or ends
 * meanwhile, is given it later, for a day.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { LiveConfig } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import { enqueueJobs } from '../jobs/enqueue-jobs.ts'
import type { JobHandlers, PeriodicJob } from '../jobs/job-runner.ts'
import type { Logger } from '../platform/logger.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Database } from '../store/database.ts'
import { findDueEnds, giveUpOldEnds, readDueEnd, settleEnd } from '../store/plugins/turn-ends.ts'
import type { LiveHooks } from './live-hooks.ts'

interface TurnEndsOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly hooks: LiveHooks
  readonly redactorOf: (sessionId: string) => Redactor
  readonly logger: Logger
}

interface EndJob {
  readonly turnId: string
  readonly plugin: string
}

const GIVE = 'give-turn-end'
const SWEEP = 'sweep-turn-ends'
const MAX_TEXT_CHARS = 16_000

/** One for a process; what its jobs could not give is given again, by whichever process takes the job. */
export class TurnEnds {
  readonly #options: TurnEndsOptions

  constructor(options: TurnEndsOptions) {
    this.#options = options
  }

  /** For the job runner. */
  readonly handlers: JobHandlers = {
    [GIVE]: (payload, signal) => this.#give(payload as EndJob, signal),
    [SWEEP]: () => this.#sweep(),
  }

  readonly periodic: readonly PeriodicJob[] = [{ name: SWEEP, cron: '* * * * *' }]

  /** After the commit of a turn's end. Never rejects: what is not enqueued, the sweep finds. */
  async ended(turnId: string, plugins: readonly string[]): Promise<void> {
    await this.#enqueue(turnId, plugins).catch((error: unknown) =>
      this.#options.logger.warn(
        { turnId, error: messageOf(error) },
        'plugins could not be given the end of a turn; the next sweep does',
      ),
    )
  }

  async #give({ turnId, plugin }: EndJob, signal: AbortSignal): Promise<void> {
    const { database, config, hooks, redactorOf } = this.#options
    const end = await readDueEnd(database, turnId, plugin)
    if (end === null) return
    const { sessionId, sessionType, userName: user, status, text, isEnabled } = end
    if (isEnabled) {
      const role = currentUser(config.current(), user)?.role ?? 'USER'
      const shown = redactorOf(sessionId).redact(text).slice(0, MAX_TEXT_CHARS).toWellFormed()
      const data = { sessionId, sessionType, turnId, user, role, status, text: shown }
      const isGiven = await hooks.now().ended(plugin, data, signal)
      if (!isGiven) throw new Error(`the plugin ${plugin} does not run here now`)
    }
    await settleEnd(database, turnId, plugin)
  }

  async #sweep(): Promise<void> {
    const { database, logger } = this.#options
    const givenUp = await giveUpOldEnds(database)
    if (givenUp > 0)
      logger.warn({ turns: givenUp }, 'plugins did not run for a day; ends of turns are not given to them')
    for (const { turnId, plugins } of await findDueEnds(database)) await this.#enqueue(turnId, plugins)
  }

  #enqueue(turnId: string, plugins: readonly string[]): Promise<void> {
    const jobs = plugins.map((plugin) => ({
      name: GIVE,
      payload: { turnId, plugin },
      key: `${GIVE}:${turnId}:${plugin}`,
    }))
    return enqueueJobs(this.#options.database, jobs)
  }
}
