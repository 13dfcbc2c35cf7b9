/**
 * The first contact with a PostgreSQL that is not ours to start: waits until it lets us in (it may start beside us, as
 * in a compose file), and finds out whether what answers keeps a session, without which NOTIFY would not reach
 * other processes.
 */
import type pg from 'pg'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { hasCode } from '../../platform/error-code.ts'
import { randomHex } from '../../platform/random.ts'
import type { Logger } from '../../platform/logger.ts'
import { connectClient } from './connect-client.ts'

interface ReachDatabaseOptions {
  readonly logger: Logger
  readonly clock: Clock
  /** Ends the wait with SHUTTING_DOWN. */
  readonly stopping: AbortSignal
  /** How long is waited for it; a minute by default. */
  readonly waitMs?: number
}

const WAIT_MS = 60_000
const PAUSE_MS = 500
const SAY_MS = 5000
/** Notifications take milliseconds. */
const NOTIFIED_MS = 5000
const APPLICATION = 'factotum start'
/** SQLSTATE read_only_sql_transaction. */
const NO_WRITES = '25006'

/**
 * Resolves when the database can be used. Throws CONFIG_INVALID when a person must act (wrong login or database, a
 * pooler that shares connections between transactions), DATABASE_UNAVAILABLE when it is a standby or cannot be reached
 * for a minute, SHUTTING_DOWN when `stopping` aborts.
 */
export async function reachDatabase(url: string, options: ReachDatabaseOptions): Promise<void> {
  const listening = await connectInTime(url, options)
  try {
    const notifying = await connectClient(url, APPLICATION)
    try {
      if (!(await isNotified(listening, notifying, options.clock))) throw sharedConnections()
    } catch (error) {
      throw hasCode(error, NO_WRITES) ? isStandby(error) : error
    } finally {
      await notifying.end()
    }
  } finally {
    await listening.end()
  }
}

async function connectInTime(
  url: string,
  { logger, clock, stopping, waitMs = WAIT_MS }: ReachDatabaseOptions,
): Promise<pg.Client> {
  const startMs = clock.monotonicMs()
  let nextSayMs = startMs
  for (;;) {
    try {
      return await connectClient(url, APPLICATION)
    } catch (error) {
      const nowMs = clock.monotonicMs()
      const isPassing = error instanceof AppError && error.retry === 'backoff'
      if (!isPassing || nowMs - startMs >= waitMs) throw error
      if (nowMs >= nextSayMs) {
        logger.warn({ error: messageOf(error), waitMs }, 'the database is not there yet; waiting for it')
        nextSayMs = nowMs + SAY_MS
      }
    }
    await clock.sleep(PAUSE_MS, stopping)
    if (stopping.aborted) throw new AppError('SHUTTING_DOWN', 'Stopped while waiting for the database.')
  }
}

/** Whether what one connection says reaches the other: through a pool of transactions it never does. */
async function isNotified(listening: pg.Client, notifying: pg.Client, clock: Clock): Promise<boolean> {
  const channel = `factotum_start_${randomHex(8)}`
  const notified = new Promise<boolean>((resolve) => listening.once('notification', () => resolve(true)))
  await listening.query(`LISTEN ${channel}`)
  await notifying.query(`NOTIFY ${channel}`)
  const heard = new AbortController()
  const isHeard = await Promise.race([notified, clock.sleep(NOTIFIED_MS, heard.signal).then(() => false)])
  heard.abort()
  return isHeard
}

/** It passes when the standby is promoted. */
function isStandby(cause: unknown): AppError {
  return new AppError(
    'DATABASE_UNAVAILABLE',
    'The PostgreSQL behind DATABASE_URL is a standby, which takes no writes. Name the primary, or promote this one.',
    { retry: 'backoff', cause },
  )
}

function sharedConnections(): AppError {
  return new AppError(
    'CONFIG_INVALID',
    'DATABASE_URL leads to a pooler that lends its connections for one transaction at a time (PgBouncer with pool_mode = transaction, ' +
      'or its like). LISTEN and advisory locks do not pass it, and Factotum needs both. Give the address of PostgreSQL itself.',
  )
}
