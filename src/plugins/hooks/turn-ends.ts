/**
 * `onPipelineComplete`: every plugin that was enabled when a turn ended is given its end at least once, by whichever
 * process. The commit of the end has written who is due. This process gives the ends of its own turns a short while
 * later, those of many turns at a time; what it cannot give, or has no space for, becomes one job a turn, and a sweep
 * finds what a crash left. One that is called and throws, or is late, was given it; one that is not running, or ends
 * meanwhile, is given it later, for a day.
 */
import { currentUser } from '../../config/access/current-user.ts'
import type { LiveConfig } from '../../config/config.ts'
import { AppError } from '../../core/errors.ts'
import { enqueueJobs } from '../../jobs/enqueue-jobs.ts'
import type { JobHandlers, PeriodicJob } from '../../jobs/job-runner.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { HookInputs } from '../../plugin-api/hook-inputs.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import type { Database } from '../../store/database.ts'
import {
  findDueEnds,
  giveUpOldEnds,
  readDueEnds,
  settleEnds,
  type DueEnd,
  type PluginsOfTurn,
} from '../../store/plugins/turn-ends.ts'
import type { LiveHooks } from './live-hooks.ts'
import { atNextBeat } from './next-beat.ts'

interface TurnEndsOptions {
  readonly database: Database
  readonly config: LiveConfig
  readonly hooks: LiveHooks
  readonly redactorOf: (sessionId: string) => Redactor
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>
  readonly logger: Logger
}

interface EndJob {
  readonly turnId: string
}

const GIVE = 'give-turn-end'
const SWEEP = 'sweep-turn-ends'
const MAX_TEXT_CHARS = 16_000
/** Of such rounds; a plugin that is slow holds up no more than these, and what is beyond becomes jobs. */
const MAX_ROUNDS = 4
/** Turns of one round. */
const MAX_TURNS = 100

/** One for a process; what its jobs could not give is given again, by whichever process takes the job. */
export class TurnEnds {
  readonly #options: TurnEndsOptions
  readonly #stopping = new AbortController()
  readonly #rounds = new Set<Promise<void>>()
  #fresh: string[] = []
  #endLinger: (() => void) | null = null

  constructor(options: TurnEndsOptions) {
    this.#options = options
  }

  /** For the job runner. */
  readonly handlers: JobHandlers = {
    [GIVE]: (payload, signal) => this.#giveOne(payload as EndJob, signal),
    [SWEEP]: () => this.#sweep(),
  }

  readonly periodic: readonly PeriodicJob[] = [{ name: SWEEP, cron: '* * * * *' }]

  /**
   * After the commit of a turn's end, which waits for nothing: what is not given, the sweep finds. It waits for those
   * of other turns: one read, one call of each plugin's thread, one write for all.
   */
  ended(turnId: string): void {
    this.#fresh.push(turnId)
    this.#endLinger ??= atNextBeat(this.#options.clock, () => this.#begin())
  }

  /** Resolves when nothing is being given here; the rest has become jobs. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#endLinger?.()
    this.#begin()
    await Promise.all(this.#rounds)
  }

  #begin(): void {
    this.#endLinger = null
    const turnIds = this.#fresh
    this.#fresh = []
    const round = this.#giveFresh(turnIds)
      .catch((error: unknown) =>
        this.#options.logger.warn(
          { error: reasonOf(error) },
          'plugins could not be given the end of a turn; the next sweep does',
        ),
      )
      .finally(() => this.#rounds.delete(round))
    this.#rounds.add(round)
  }

  async #giveFresh(turnIds: readonly string[]): Promise<void> {
    const { signal } = this.#stopping
    const now = signal.aborted || this.#rounds.size >= MAX_ROUNDS ? [] : turnIds.slice(0, MAX_TURNS)
    const left = now.length === 0 ? [] : await this.#give(now, signal)
    const later = [...left.map(({ turnId }) => turnId), ...turnIds.slice(now.length)]
    await this.#enqueue(later.map((turnId) => ({ turnId })))
  }

  async #giveOne({ turnId }: EndJob, signal: AbortSignal): Promise<void> {
    const [left] = await this.#give([turnId], signal)
    if (left === undefined) return
    const message = `these plugins do not run here now: ${left.plugins.join(', ')}`
    throw new AppError('PLUGIN_AWAY', message, { retry: 'backoff' })
  }

  /** Resolves with the turns whose end some plugins were not given, and which. */
  async #give(turnIds: readonly string[], signal: AbortSignal): Promise<readonly PluginsOfTurn[]> {
    const { database, hooks } = this.#options
    const ends = (await readDueEnds(database, turnIds)).map((end) => ({ ...end, data: this.#dataOf(end) }))
    const left = new Map<string, string[]>()
    for (const plugin of new Set(ends.flatMap(({ due }) => due))) {
      const enabled = ends.filter((end) => end.due.includes(plugin) && end.enabled.includes(plugin))
      const notGiven = await hooks.now().ended(
        plugin,
        enabled.map(({ data }) => data),
        signal,
      )
      for (const { turnId } of notGiven) left.set(turnId, [...(left.get(turnId) ?? []), plugin])
    }
    const plugins = (turnId: string): readonly string[] => left.get(turnId) ?? []
    await settleEnds(
      database,
      ends.map(({ turnId, due }) => ({ turnId, plugins: due.filter((plugin) => !plugins(turnId).includes(plugin)) })),
    )
    return [...left].map(([turnId, names]) => ({ turnId, plugins: names }))
  }

  #dataOf({ sessionId, sessionType, turnId, userName: user, status, text }: DueEnd): HookInputs['onPipelineComplete'] {
    const { config, redactorOf } = this.#options
    const role = currentUser(config.current(), user)?.role ?? 'USER'
    const shown = redactorOf(sessionId).redact(text).slice(0, MAX_TEXT_CHARS).toWellFormed()
    return { sessionId, sessionType, turnId, user, role, status, text: shown }
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
