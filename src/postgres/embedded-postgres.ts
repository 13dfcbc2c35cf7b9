/**
 * The embedded PostgreSQL of a home: started when it does not run, adopted when it does (a killed process left it
 * behind, or another one uses it right now), started again when it dies, stopped by the last process that leaves, also
 * by one that exits without leaving (use-marks.ts).
 *
 * Each process keeps one connection of its own, the holder. It holds a shared advisory lock, by which the others see
 * that the server is in use; it breaks the moment the server dies, which is how we know; and PostgreSQL drops it the
 * moment this process dies. To stop the server a process must get the same lock exclusively, so it cannot pull it away
 * from under a user of it: a process that connects in that moment waits for the lock, is cut off, and starts the server
 * again.
 */
import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { AppError, isOutage, messageOf } from '../core/errors.ts'
import { retried } from '../platform/waiting/retried.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { must } from '../platform/must.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { hasCode, reasonOf } from '../platform/error-code.ts'
import { homeAccount, prepareHome } from '../config/home/factotum-home.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { prepareCluster, preparePgDirectory, SUPERUSER, type Cluster } from './postgres-cluster.ts'
import {
  boundLog,
  endServer,
  forgetStranger,
  freePort,
  hurryStop,
  launch,
  LOOPBACK,
  readPostmaster,
  requirePort,
  type Launched,
  type Postmaster,
} from './postmaster.ts'
import { isServerOf } from './postmaster-identity.ts'
import { readIfThere } from './read-if-there.ts'
import { endUse, isUsedByOthers, markUse } from './use-marks.ts'
import { unprivilegedAccount } from '../config/home/unprivileged-account.ts'

export interface EmbeddedPostgresOptions {
  /** FACTOTUM_HOME; the server's files are in `<home>/pg`. */
  readonly home: string
  readonly logger: Logger
  readonly clock: Clock
  /**
   * Server settings on top of ours, such as `fsync: 'off'` for tests. They hold for a server that is started, not
   * adopted.
   */
  readonly settings?: Readonly<Record<string, string>>
  /** Called when a server has been launched, which takes a while to be ready. Not for one that runs already. */
  readonly onLaunched?: () => void
}

/** A running server, and our hold on it. */
interface Held {
  readonly postmaster: Postmaster
  readonly holder: LockHolder
  readonly adopted: boolean
}

interface LockHolder {
  readonly client: pg.Client
  /** Resolves when the connection is over, for whatever reason. */
  readonly ended: Promise<void>
}

const DATABASE = 'factotum'
/** Any number, the same for all processes; only lock holders use it, and only in the database `postgres`. */
const IN_USE_LOCK = 4_172_001
/** Covers the recovery after a crash under load, which replays at most `max_wal_size`. */
const START_TIMEOUT_MS = 60_000
const POLL_MS = 10
const CONNECT_TIMEOUT_MS = 3000
const MAX_LAUNCHES = 3
const REVIVAL_BACKOFF = { firstMs: 200, maxMs: 10_000 }
const LOG_CHECK_MS = 3_600_000
const SHUTDOWN_CHECK_MS = 1000

/**
 * Resolves when the database accepts connections: in under a second the first time (it creates the files), in some tens
 * of milliseconds later, at once when it runs. Throws CONFIG_INVALID (what to change stands in the message) or
 * DATABASE_UNAVAILABLE (with the end of the server's log).
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const startedAt = options.clock.monotonicMs()
  const fallback = unprivilegedAccount()
  const home = prepareHome({ home: options.home, account: fallback })
  const account = homeAccount(home, fallback)
  const directory = await preparePgDirectory(home, account)
  const binaries = await findPostgresBinaries(directory, account)
  const cluster = await prepareCluster(home, directory, { binaries, account })
  markUse(directory)
  const held = await openServer(cluster, options).catch((error: unknown) => {
    endUse(directory)
    throw error
  })
  const { pid, port } = held.postmaster
  const ms = Math.round(options.clock.monotonicMs() - startedAt)
  options.logger.info(
    { postgresPid: pid, port, ms, data: cluster.data },
    `embedded PostgreSQL ${held.adopted ? 'adopted' : 'started'}`,
  )
  return new EmbeddedPostgres(cluster, options, held)
}

export class EmbeddedPostgres {
  /** With the password in it: for connecting, not for logs. It stays the same when the server is started again. */
  readonly url: string
  /** Whether the server was already running. */
  readonly adopted: boolean
  readonly #cluster: Cluster
  readonly #options: EmbeddedPostgresOptions
  readonly #stopping = new AbortController()
  #held: Held | null = null
  /** Waits for the holder's end and deals with it; done only after `stop`. */
  #watch: Promise<void> = Promise.resolve()
  #stopped: Promise<void> | null = null
  readonly #checks: readonly Periodic[]
  /**
   * A second signal, or a bug, leaves no time to ask the server whether another process uses it: their marks tell. A
   * fast shutdown loses nothing that was committed.
   */
  readonly #exited = (): void => {
    const { directory } = this.#cluster
    endUse(directory)
    if (this.#held !== null && !isUsedByOthers(directory)) signalQuietly(this.#held.postmaster.pid, 'SIGINT')
  }

  constructor(cluster: Cluster, options: EmbeddedPostgresOptions, held: Held) {
    this.url = `postgresql://${SUPERUSER}:${cluster.password}@${LOOPBACK}:${held.postmaster.port}/${DATABASE}`
    this.adopted = held.adopted
    this.#cluster = cluster
    this.#options = options
    this.#keep(held)
    const { clock, logger } = options
    const check = (name: string, everyMs: number, tick: () => Promise<void>): Periodic =>
      new Periodic({ name, everyMs, backoff: { firstMs: everyMs, maxMs: everyMs }, tick, isOutage, clock, logger })
    this.#checks = [
      check('bounding of server.log', LOG_CHECK_MS, () => boundLog(cluster.log)),
      check("check of PostgreSQL's shutdown", SHUTDOWN_CHECK_MS, () => this.#endShutdown()),
    ]
    for (const periodic of this.#checks) periodic.start()
    process.on('exit', this.#exited)
  }

  /** The server's process id; null while it is being started again and after `stop`. */
  get pid(): number | null {
    return this.#held?.postmaster.pid ?? null
  }

  /**
   * Lets go of the server, and stops it unless another Factotum process uses it. Stopping cuts all connections: close
   * pools first. On repeat it returns the same promise. Throws DATABASE_UNAVAILABLE when the server does not end.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#letGo()
    return this.#stopped
  }

  async #letGo(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#checks.map((check) => check.stop()))
    if (this.#held === null) await this.#watch // being started again: that gives up, or ends with a server to let go of
    endUse(this.#cluster.directory) // before the lock is asked for: of two that leave at once one stops it
    if (this.#held !== null) await this.#release(this.#held)
    await this.#watch
    process.off('exit', this.#exited)
  }

  async #release({ holder, postmaster }: Held): Promise<void> {
    const { logger } = this.#options
    this.#held = null
    try {
      const last = await isLastUser(holder.client).catch((error: unknown) => {
        logger.warn({ error: reasonOf(error) }, 'the embedded PostgreSQL was gone before it was stopped')
        return false
      })
      if (!last) return
      await endServer(this.#cluster, postmaster, this.#options.clock)
      logger.info({ postgresPid: postmaster.pid }, 'embedded PostgreSQL stopped')
    } finally {
      await holder.client.end()
    }
  }

  #keep(held: Held): void {
    this.#held = held
    this.#watch = held.holder.ended.then(() => this.#revive(held.postmaster))
  }

  /**
   * Starts the server again, until it runs or we stop. The port must stay the same: pools hold the URL. Not a Periodic:
   * it begins with the holder's end, happens once, and the next revival waits for the end of the next holder.
   */
  async #revive({ pid, port }: Postmaster): Promise<void> {
    const { clock, logger } = this.#options
    const { signal } = this.#stopping
    if (signal.aborted) return
    this.#held = null
    logger.error({ postgresPid: pid }, 'the embedded PostgreSQL is gone; starting it again')
    const revive = async (attempt: number): Promise<void> => {
      const held = await holdServer(this.#cluster, this.#options, { port, signal })
      logger.info({ postgresPid: held.postmaster.pid, attempt }, 'the embedded PostgreSQL runs again')
      this.#keep(held)
    }
    await retried(revive, {
      clock,
      pauses: REVIVAL_BACKOFF,
      isWanted: () => !signal.aborted,
      onFailure: (error, attempt) =>
        logger.error({ attempt, error: reasonOf(error) }, 'the embedded PostgreSQL did not start; retrying'),
      signal,
    })
  }

  /**
   * The server got SIGTERM, as from a supervisor that signals all processes of a service: it takes no new connection,
   * and waits for those that are open, ours, for ever. So it is ended, and started again for as long as this process
   * has work to finish.
   */
  async #endShutdown(): Promise<void> {
    if (this.#held === null) return
    const postmaster = await readPostmaster(this.#cluster)
    if (postmaster?.state !== 'stopping') return
    const { pid } = postmaster
    this.#options.logger.warn(
      { postgresPid: pid },
      'the embedded PostgreSQL got SIGTERM and waits for its clients; ending it',
    )
    await hurryStop(this.#cluster)
  }
}

/** Holds the server, with our database in it. */
async function openServer(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<Held> {
  const held = await holdServer(cluster, options, null)
  await createDatabase(held.holder.client).catch(async (error: unknown) => {
    await held.holder.client.end()
    const problem = `The embedded PostgreSQL cannot create its database: ${messageOf(error)}`
    throw new AppError('DATABASE_UNAVAILABLE', problem, { cause: error })
  })
  return held
}

/**
 * Connects to the server of this cluster, launching it where none runs. Several processes may do this at once:
 * PostgreSQL lets one of their servers live, and all end up connected to that one. `again`: only this port will do, and
 * an abort ends the attempt, unless a server has been launched.
 */
async function holdServer(
  cluster: Cluster,
  { clock, settings = {}, onLaunched }: EmbeddedPostgresOptions,
  again: { readonly port: number; readonly signal: AbortSignal } | null,
): Promise<Held> {
  const deadline = clock.monotonicMs() + START_TIMEOUT_MS
  let launched: Launched | null = null
  let launches = 0
  // After an abort, a server launched here is still waited for: no other process would end it.
  const isGivenUp = (): boolean => again?.signal.aborted === true && launched?.hasEnded() !== false
  while (clock.monotonicMs() < deadline && !isGivenUp()) {
    const postmaster = await readPostmaster(cluster)
    if (postmaster !== null && !(await isServerOf(cluster, postmaster))) await forgetStranger(cluster, postmaster)
    else if (postmaster !== null) {
      const holder = postmaster.state === 'ready' ? await connectHolder(cluster, postmaster.port) : null
      if (holder !== null) {
        await writeFile(cluster.portFile, String(postmaster.port))
        return { postmaster, holder, adopted: launched?.pid !== postmaster.pid }
      }
    } else if (launched === null || launched.hasEnded()) {
      if (launches === MAX_LAUNCHES) break
      const port = again === null ? await freePort(await lastPort(cluster)) : await requirePort(again.port)
      launched = await launch(cluster, port, settings)
      onLaunched?.()
      launches += 1
    }
    await clock.sleep(POLL_MS)
  }
  const log = launched === null ? 'another process is starting or stopping it, and does not end' : await launched.log()
  throw new AppError('DATABASE_UNAVAILABLE', `The embedded PostgreSQL does not start (see ${cluster.log}): ${log}`)
}

/** It may have ended meanwhile. */
function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

async function lastPort(cluster: Cluster): Promise<number | null> {
  const port = Number(await readIfThere(cluster.portFile))
  return port > 0 ? port : null
}

/** Null when the server cannot be used (yet, or any more), or when something else listens on that port. */
async function connectHolder(cluster: Cluster, port: number): Promise<LockHolder | null> {
  const client = new pg.Client({
    host: LOOPBACK,
    port,
    user: SUPERUSER,
    password: cluster.password,
    database: 'postgres',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'factotum lock holder',
  })
  client.on('error', () => {}) // 'end' follows every error, and is what the holder waits for
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
    await client.query('SELECT pg_advisory_lock_shared($1)', [IN_USE_LOCK])
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
    if (rows[0]?.data_directory === cluster.data) return { client, ended }
  } catch (error) {
    if (hasCode(error, '28P01')) throw wrongPassword(cluster, error)
  }
  await client.end()
  return null
}

async function createDatabase(holder: pg.Client): Promise<void> {
  const { rowCount } = await holder.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
  if (rowCount !== 0) return
  await holder.query(`CREATE DATABASE ${DATABASE}`).catch((error: unknown) => {
    if (!hasCode(error, '42P04', '23505')) throw error // another process was first
  })
}

/** Swaps our shared hold for the exclusive one; it goes only to a process that is alone. */
async function isLastUser(holder: pg.Client): Promise<boolean> {
  await holder.query('SELECT pg_advisory_unlock_shared($1)', [IN_USE_LOCK])
  const { rows } = await holder.query<{ alone: boolean }>('SELECT pg_try_advisory_lock($1) AS alone', [IN_USE_LOCK])
  return must(rows[0], 'SELECT without FROM gives a row').alone
}

function wrongPassword(cluster: Cluster, cause: unknown): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `The embedded PostgreSQL refuses the password in ${cluster.directory}/password. Put back the file that belongs to ${cluster.data}.`,
    { cause },
  )
}
