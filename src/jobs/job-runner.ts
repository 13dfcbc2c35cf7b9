/**
 * Runs what is merely "do this later": jobs that were enqueued (`enqueueJobs`) and periodic ones, by graphile-worker on
 * the same database, in its own schema. Any number of processes share the jobs; each periodic job runs in one of them.
 *
 * What must hold: graphile-worker installs no signal handlers here, and a failure of its own (the database went away
 * while a job was being settled) ends only itself: it is started again, with growing pauses, until `stop`.
 */
import pg from 'pg'
import { parseCronItems, run, Logger as WorkerLogger, type Runner, type TaskList } from 'graphile-worker'
import { isOutage } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { WritableClient } from '../store/connection/writable-client.ts'

/**
 * `signal` aborts when the server stops and the job has had its time. What it throws is logged, and the job tried again
 * later.
 */
export type JobHandler = (payload: unknown, signal: AbortSignal) => Promise<void>
export type JobHandlers = Readonly<Record<string, JobHandler>>

export interface PeriodicJob {
  /** A name of the handlers. */
  readonly name: string
  /** Such as "17 3 * * *", in UTC. A time at which no process ran is not made up for. */
  readonly cron: string
}

export interface JobRunnerOptions {
  readonly url: string
  /** At most; one listens, and each of the others has a job, which must not take long. */
  readonly connections: number
  readonly handlers: JobHandlers
  readonly periodic: readonly PeriodicJob[]
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** How often to poll for jobs whose time has come; those for now are notified. */
  readonly pollMs?: number
}

const CONNECT_TIMEOUT_MS = 3000
const QUERY_TIMEOUT_MS = 10_000
/** How often is checked whether graphile-worker has ended by itself. */
const CHECK_MS = 500
const BACKOFF = { firstMs: CHECK_MS, maxMs: 15_000 }
/** Jobs get this long to end by themselves, then their signal aborts. */
const GRACE_MS = 3000
const STOP_LIMIT_MS = 6000

export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #pool: pg.Pool
  readonly #stopping = new AbortController()
  readonly #restarts: Periodic
  /** Null: it has ended, and is to be started again. */
  #runner: Runner | null = null

  constructor(options: JobRunnerOptions) {
    this.#options = options
    this.#pool = new pg.Pool({
      Client: WritableClient,
      connectionString: options.url,
      max: options.connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'factotum jobs',
    })
    const warn = (error: Error): void =>
      options.logger.warn({ error: reasonOf(error) }, 'job runner lost a connection; it opens another')
    this.#pool.on('error', warn)
    this.#pool.on('connect', (client) => void client.on('error', warn))
    const { clock, logger } = options
    this.#restarts = new Periodic({
      name: 'start of the job runner',
      everyMs: CHECK_MS,
      backoff: BACKOFF,
      tick: () => this.#restart(),
      // What graphile-worker throws does not say whether the database was away.
      isOutage: () => true,
      clock,
      logger,
    })
  }

  /** Brings graphile-worker's schema up to date and begins to work. Rejects when that fails; call `stop` then, too. */
  async start(): Promise<void> {
    await this.#begin()
    this.#restarts.start()
  }

  /** Takes no more jobs; those under way get a few seconds. Repeatable; never rejects. */
  async stop(): Promise<void> {
    if (this.#stopping.signal.aborted) return
    this.#stopping.abort()
    const ended = this.#end()
    const isDone = await Promise.race([ended.then(() => true), this.#options.clock.sleep(STOP_LIMIT_MS)])
    if (isDone !== true) this.#options.logger.warn('job runner did not stop in time; its jobs are retried later')
  }

  async #end(): Promise<void> {
    await this.#restarts.stop()
    const runner = this.#runner
    await runner?.stop().catch((error: unknown) => this.#warn(error))
    await runner?.promise.catch(() => undefined) // logged when it ended
    await this.#pool.end()
  }

  async #restart(): Promise<void> {
    if (this.#runner === null && !this.#stopping.signal.aborted) await this.#begin()
  }

  async #begin(): Promise<void> {
    const { connections, handlers, periodic, logger, pollMs = 1000 } = this.#options
    const runner = await run({
      pgPool: this.#pool,
      taskList: this.#tasksOf(handlers),
      parsedCronItems: parseCronItems(
        periodic.map(({ name, cron }) => ({
          task: name,
          match: cron,
          identifier: name,
          options: { backfillPeriod: 0, jobKey: `periodic:${name}` },
        })),
      ),
      noHandleSignals: true,
      logger: jobLogger(logger),
      preset: {
        worker: {
          concurrentJobs: connections - 1,
          pollInterval: pollMs,
          gracefulShutdownAbortTimeout: GRACE_MS,
          // Not 'off': unbatched, a failure to settle a job is an unhandled rejection, which would end the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    })
    this.#runner = runner
    void runner.promise
      .catch((error: unknown) => this.#warn(error))
      .finally(() => {
        this.#runner = null
      })
  }

  #tasksOf(handlers: JobHandlers): TaskList {
    const { logger, metrics } = this.#options
    return Object.fromEntries(
      Object.entries(handlers).map(([name, handle]) => [
        name,
        async (payload: unknown, helpers: { readonly abortSignal: AbortSignal }): Promise<void> => {
          try {
            await handle(payload, helpers.abortSignal)
            metrics.jobs.inc({ name, outcome: 'done' })
          } catch (error) {
            metrics.jobs.inc({ name, outcome: 'failed' })
            if (isOutage(error)) logger.warn({ error: reasonOf(error), job: name }, 'job failed; retrying later')
            else logger.error({ err: error, job: name }, 'job failed; retrying later')
            throw error
          }
        },
      ]),
    )
  }

  #warn(error: unknown): void {
    if (!this.#stopping.signal.aborted)
      this.#options.logger.warn({ error: reasonOf(error) }, 'job runner ended; restarting')
  }
}

/**
 * What graphile-worker says, in our log. What it says of a job that failed is left out: the runner logs that itself.
 */
const LEVELS = { error: 'warn', warning: 'warn', info: 'debug', debug: 'trace' } as const

export function jobLogger(logger: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, meta) => {
    if (meta['failure'] === true) return
    const error = meta['error'] === undefined ? {} : { error: reasonOf(meta['error']) }
    logger[LEVELS[level]](error, `jobs: ${message}`)
  })
}
