/**
 * The advisory lock under which one process at a time migrates the database, the one that Prisma's engine takes for the
 * same purpose. Held by another connection, it is waited for, with a limit: a connection that never releases it must
 * not hold up a start for ever.
 */
import type pg from 'pg'
import { AppError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'

/** How long to wait for the lock, and what ends the wait earlier. */
export interface LockMigrationsOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly stopping?: AbortSignal
  /** How long is waited for it; a minute by default. */
  readonly waitMs?: number
}

interface Holder {
  readonly pid: number
  readonly application: string | null
  readonly user: string | null
  readonly address: string | null
}

/** The application that holds it for as long as it copies the database to another one. */
export const MOVING = 'factotum move'

const PRISMA_LOCK = 72_707_369
const WAIT_MS = 60_000
const POLL_MS = 100
const SAY_MS = 5000

const TRY = 'SELECT pg_try_advisory_lock($1) AS locked'
const HOLDER = `
  SELECT activity.pid, activity.application_name AS application, activity.usename AS user, host(activity.client_addr) AS address
  FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
  WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1 AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Resolves when `db` holds the lock, which goes with the connection. Throws DATABASE_UNAVAILABLE, naming the holder,
 * when it is not given back within a minute, or at once while the database is moved; SHUTTING_DOWN when `stopping`
 * aborts.
 */
export async function lockMigrations(db: pg.Client, options: LockMigrationsOptions): Promise<void> {
  const { logger, clock, stopping, waitMs = WAIT_MS } = options
  const startMs = clock.monotonicMs()
  let nextSayMs = startMs
  while (!(await isLocked(db))) {
    const nowMs = clock.monotonicMs()
    if (stopping?.aborted === true) throw new AppError('SHUTTING_DOWN', 'Stopped while waiting for the migration lock.')
    if (nowMs >= nextSayMs) {
      const holder = await findHolder(db)
      if (holder?.application === MOVING) throw isMoved()
      logger.info({ holder, waitMs }, 'another connection holds the migration lock; waiting for it')
      nextSayMs = nowMs + SAY_MS
    }
    if (nowMs - startMs >= waitMs) throw stillHeld(await findHolder(db), waitMs)
    await clock.sleep(POLL_MS, stopping)
  }
}

async function isLocked(db: pg.Client): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(TRY, [PRISMA_LOCK])
  return rows[0]?.locked === true
}

/** Null: it has been given back meanwhile. */
async function findHolder(db: pg.Client): Promise<Holder | null> {
  const { rows } = await db.query<Holder>(HOLDER, [PRISMA_LOCK])
  return rows[0] ?? null
}

function isMoved(): AppError {
  return new AppError(
    'DATABASE_UNAVAILABLE',
    'This database is being copied to another one (factotum move-to), and what is stored in it now would be missing there. ' +
      'Wait until that has ended, write the new address as DATABASE_URL into .env of the home, and start again.',
    { retry: 'backoff' },
  )
}

function stillHeld(holder: Holder | null, waitMs: number): AppError {
  const held = `Another connection has held the migration lock of the database for ${waitMs / 1000} s`
  if (holder === null) return new AppError('DATABASE_UNAVAILABLE', `${held}. Start again.`, { retry: 'backoff' })
  const { pid, application, user, address } = holder
  const who = `process ${pid} of PostgreSQL, application "${application ?? ''}", user "${user ?? ''}", from ${address ?? 'a local socket'}`
  const fix = `If it migrates nothing, end it: SELECT pg_terminate_backend(${pid});`
  return new AppError('DATABASE_UNAVAILABLE', `${held}: ${who}. ${fix}`, { retry: 'backoff' })
}
