/**
 * `onPipelineComplete`: every plugin that was enabled when a turn ended is given its end at least once, by whichever
 * process, one after another by one job: a job for each would cost the database more than the turn. The commit of the
 * end has written who is due; a sweep finds what a crash left between that commit and the job. One that is called and
 * throws, or is late, was given it; one that is not running, or ends meanwhile, is given it later, for a day.
 */
import { currentUser } from '../config/access/current-user.ts'
import type { LiveConfig } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import { enqueueJobs } from '../jobs/enqueue-jobs.ts'
import type { JobHandlers, PeriodicJob } from '../jobs/job-runner.ts'
import { Coalesced } from '../platform/coalesced.ts'
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
}

const GIVE = 'give-turn-end'
const SWEEP = 'sweep-turn-ends'
const MAX_TEXT_CHARS = 16_000

/** One for a process; what its jobs could not give is given again, by whichever process takes the job. */
export class TurnEnds {
  readonly #options: TurnEndsOptions
  readonly #enqueues = new Coalesced(() => this.#enqueueFresh())
  readonly #fresh: EndJob[] = []

  constructor(options: TurnEndsOptions) {
    this.#options = options
  }

  /** For the job runner. */
  readonly handlers: JobHandlers = {
    [GIVE]: (payload, signal) => this.#give(payload as EndJob, signal),
    [SWEEP]: () => this.#sweep(),
  }

  readonly periodic: readonly PeriodicJob[] = [{ name: SWEEP, cron: '* * * * *' }]

  /** After the commit of a turn's end, which waits for nothing: what is not enqueued, the sweep finds. */
  ended(turnId: string): void {
    this.#fresh.push({ turnId })
    void this.#enqueues.run()
  }

  /** Resolves when nothing is being enqueued; never rejects. */
  async settled(): Promise<void> {
    await this.#enqueues.settled()
  }

  async #enqueueFresh(): Promise<void> {
    await this.#enqueue(this.#fresh.splice(0)).catch((error: unknown) =>
      this.#options.logger.warn(
        { error: messageOf(error) },
        'plugins could not be given the end of a turn; the next sweep does',
      ),
    )
  }

  async #give({ turnId }: EndJob, signal: AbortSignal): Promise<void> {
    const { database, config, hooks, redactorOf } = this.#options
    const end = await readDueEnd(database, turnId)
    if (end === null) return
    const { sessionId, sessionType, userName: user, status, text, due, enabled } = end
    const role = currentUser(config.current(), user)?.role ?? 'USER'
    const shown = redactorOf(sessionId).redact(text).slice(0, MAX_TEXT_CHARS).toWellFormed()
    const data = { sessionId, sessionType, turnId, user, role, status, text: shown }
    const left: string[] = []
    for (const plugin of due) {
      const isGiven = !enabled.includes(plugin) || (await hooks.now().ended(plugin, data, signal))
      if (!isGiven) left.push(plugin)
    }
    await settleEnd(
      database,
      turnId,
      due.filter((plugin) => !left.includes(plugin)),
    )
    if (left.length > 0) throw new Error(`these plugins do not run here now: ${left.join(', ')}`)
  }

  async #sweep(): Promise<void> {
    const { database, logger } = this.#options
    const givenUp = await giveUpOldEnds(database)
    if (givenUp > 0)
      logger.warn({ turns: givenUp }, 'plugins did not run for a day; ends of turns are not given to them')
    await this.#enqueue(await findDueEnds(database))
  }

  #enqueue(ends: readonly EndJob[]): Promise<void> {
    const jobs = ends.map(({ turnId }) => ({ name: GIVE, payload: { turnId }, key: `${GIVE}:${turnId}` }))
    return enqueueJobs(this.#options.database, jobs)
  }
}
