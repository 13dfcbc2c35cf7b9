/** Opens the database and what follows its commits, here and in other processes. */
import type { AppOptions } from './app-options.ts'
import { Progress } from './config/command-line/progress.ts'
import { shareConnections } from './config/process-connections.ts'
import { Doorbell } from './events/doorbell.ts'
import { Feed } from './events/feed.ts'
import { reasonOf } from './platform/error-code.ts'
import type { Clock } from './platform/clock.ts'
import { takeTimeOfIds } from './platform/id.ts'
import type { Logger } from './platform/logger.ts'
import type { SecretStore } from './secrets/secret-store.ts'
import { Database } from './store/database.ts'
import { DatabaseClock } from './store/connection/database-clock.ts'
import { migrate } from './store/connection/migrate.ts'
import { reachDatabase } from './store/connection/reach-database.ts'
import type { Opened } from './opened.ts'

/** Its clock is that of this machine. */
type StoreOptions = Pick<
  AppOptions,
  'openDatabase' | 'databaseConnections' | 'timing' | 'clock' | 'logger' | 'stopping'
>

export interface Stored {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly feed: Feed
  /** The database's time. */
  readonly clock: Clock
  /** What database it is, for people. */
  readonly described: string
}

/**
 * Where everything that must not be lost is, and how commits are notified, here and in other processes. Rejects as
 * `startApp` does.
 */
export async function openStore(options: StoreOptions, secrets: SecretStore, opened: Opened): Promise<Stored> {
  const { openDatabase, databaseConnections, timing, logger, stopping, clock: hostClock } = options
  const progress = new Progress({ clock: hostClock, print: (line) => logger.info(line) })
  const resolved = await progress.during(
    'the embedded PostgreSQL starts; the first time its files are made',
    openDatabase,
  )
  opened.add('PostgreSQL', () => resolved.stop())
  secrets.hidePasswordOf(resolved.embedded ? 'the address of the database' : 'DATABASE_URL', resolved.url)
  if (!resolved.embedded) await reachDatabase(resolved.url, options)
  await progress.during('the schema is brought up to date', () =>
    migrate(resolved.url, { logger, clock: hostClock, stopping }),
  )
  const { statements } = shareConnections(databaseConnections)
  const database = new Database({ url: resolved.url, maxConnections: statements, logger })
  opened.add('connections of the database', () => database.close())
  let filling = Promise.resolve()
  const cancelFilling = hostClock.after(FILL_AFTER_MS, () => {
    filling = fill(database, logger)
  })
  opened.add('first connections', () => {
    cancelFilling()
    return filling
  })
  const clock = await DatabaseClock.start({ database, clock: hostClock, logger })
  takeTimeOfIds(clock)
  opened.add('database clock', () => clock.stop())
  const doorbell = new Doorbell({ url: resolved.url, logger, clock })
  doorbell.on('gone', ({ sessionId }) => secrets.forget(sessionId))
  await doorbell.start()
  opened.add('doorbell', () => doorbell.stop())
  const feed = new Feed({ database, doorbell, timing, logger, clock })
  feed.start()
  opened.add('event feed', () => feed.stop())
  const described = `${await describeDatabase(database)}${resolved.embedded ? ' (embedded)' : ''}`
  return { database, doorbell, feed, clock, described }
}

/** A start waits for no connection that it does not use; the first burst of messages shall find all of them. */
const FILL_AFTER_MS = 1_000

async function fill(database: Database, logger: Logger): Promise<void> {
  try {
    await database.fill()
  } catch (error) {
    logger.warn({ error: reasonOf(error) }, 'not all database connections were opened; each is when it is needed')
  }
}

/** For people: "PostgreSQL 18.1". Rejects with DATABASE_UNAVAILABLE (retry: backoff). */
async function describeDatabase(database: Database): Promise<string> {
  const [row] = await database.query<{ server_version: string }>({ name: '', text: 'SHOW server_version' }, [])
  return `PostgreSQL ${row?.server_version.split(' ', 1)[0] ?? '(unknown version)'}`
}
