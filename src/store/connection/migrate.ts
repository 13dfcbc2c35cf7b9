/**
 * Brings the database to the schema of this build, at start, before anything else talks to it. The bookkeeping is
 * Prisma's own (table `_prisma_migrations`, its advisory lock), so that `prisma migrate status`, `deploy` and `dev` see
 * the same history.
 *
 * What must hold: a migration happens whole or not at all (one transaction each, with its row in the table), and of
 * many processes starting at once one migrates while the others wait. Two limits follow from the transaction: no
 * `CREATE INDEX CONCURRENTLY`, and a value added to an enum can be used only by a later migration.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { AppError, messageOf } from '../../core/errors.ts'
import { packageFile } from '../../platform/package-file.ts'
import { connectClient, cannotConnect } from './connect-client.ts'
import { findServerProblem } from './find-server-problem.ts'
import { hasCode } from '../../platform/error-code.ts'
import { lockMigrations, type LockMigrationsOptions } from './lock-migrations.ts'

interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file, as Prisma computes it. */
  readonly checksum: string
}

interface AppliedMigration {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

const MIGRATIONS = packageFile('prisma/migrations')
/** As all migrations write them, which a test holds. */
const TABLE_STATEMENTS = /^ *(CREATE|DROP|ALTER) TABLE "(\w+)"(?: RENAME TO "(\w+)"| \(|;)/gm
const NOT_ALLOWED = '42501'
/** SQLSTATE of a lock that was not to be had in time, and of a transaction that lost a deadlock. */
const LOCKED = ['55P03', '40P01']
/**
 * Who comes after a migration that waits for a table waits for it, too, such as the turns of an older version that run
 * on. More than `deadlock_timeout`, by default 1 s, after which autovacuum gives way.
 */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '2s'`
const RETRY_MS = { first: 1000, last: 30_000 }
const MAKE_OWNER = 'Make the user in DATABASE_URL the owner of the database: ALTER DATABASE … OWNER TO …'
const OLDEST_TRANSACTION = `
  SELECT pid, application_name AS application, usename AS user, xact_start AS since FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`
const BOOKKEEPING = `
  CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`

/** Which migrations to apply, and how long to wait for another process that applies them. */
export interface MigrateOptions extends LockMigrationsOptions {
  /** Where migrations are; by default those of this build. */
  readonly directory?: string
  /** Only those of these names; all when left out. */
  readonly only?: ReadonlySet<string>
}

/**
 * Applies what is missing and returns the names of what it applied; on repeat, nothing. Throws CONFIG_INVALID when a
 * person must act (wrong address or password, a server or database that cannot be used, one of a newer version, an
 * edited or failed migration), DATABASE_UNAVAILABLE (retry: backoff) when the server cannot be reached or another
 * connection does not give the lock back.
 */
export async function migrate(url: string, options: MigrateOptions): Promise<string[]> {
  const { logger, directory = MIGRATIONS, only } = options
  const all = await readMigrations(directory)
  const migrations = all.filter(({ name }) => only === undefined || only.has(name))
  const db = await connectClient(url, 'factotum migrate')
  try {
    await requireServer(db)
    await lockMigrations(db, options)
    const pending = compare(migrations, await readApplied(db))
    // Of a new database no one asks which.
    const level = pending.length === migrations.length ? 'debug' : 'info'
    for (const migration of pending) {
      await applyUntilDone(db, migration, options)
      logger[level]({ migration: migration.name }, 'migration applied')
    }
    if (pending.length > 0) logger.info({ migrations: pending.length }, 'database migrated')
    return pending.map(({ name }) => name)
  } finally {
    await db.end() // the lock goes with the connection
  }
}

/** Of this build, in order. */
export async function migrationNames(): Promise<string[]> {
  return (await readMigrations(MIGRATIONS)).map(({ name }) => name)
}

/** The tables that are there once these migrations are applied; null when this build does not know all of them. */
export async function tablesAfter(names: readonly string[]): Promise<ReadonlySet<string> | null> {
  const applied = new Set(names)
  const known = (await readMigrations(MIGRATIONS)).filter(({ name }) => applied.has(name))
  if (known.length < applied.size) return null
  const tables = new Set<string>()
  for (const { sql } of known)
    for (const [, verb, table = '', renamed = ''] of sql.matchAll(TABLE_STATEMENTS)) {
      if (verb === 'CREATE') tables.add(table)
      else tables.delete(table)
      if (renamed !== '') tables.add(renamed)
    }
  return tables
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return await Promise.all(
    names.sort().map(async (name) => {
      const file = await readFile(join(directory, name, 'migration.sql'))
      return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') }
    }),
  )
}

async function requireServer(db: pg.Client): Promise<void> {
  const problem = await findServerProblem(db)
  if (problem !== null) throw new AppError('CONFIG_INVALID', `${problem.says} ${problem.fix}`)
}

/** Whether the bookkeeping of migrations is there: some server was started on this database, or a backup restored. */
export async function isMigrated(db: pg.Client): Promise<boolean> {
  const { rows } = await db.query<{ table: string | null }>(`SELECT to_regclass('_prisma_migrations') AS table`)
  return rows[0]?.table != null
}

/** As of a home in which no server was started, or of an address that names another database: CONFIG_INVALID. */
export async function refuseWithoutTables(url: string): Promise<void> {
  const client = await connectClient(url, 'factotum')
  try {
    if (await isMigrated(client)) return
  } finally {
    await client.end()
  }
  throw new AppError(
    'CONFIG_INVALID',
    'There is nothing of Factotum in this database: no server has been started on it. Is DATABASE_URL, or --home, the right one?',
  )
}

async function readApplied(db: pg.Client): Promise<AppliedMigration[]> {
  if (!(await isMigrated(db))) await createBookkeeping(db)
  const { rows } = await db.query<AppliedMigration>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at',
  )
  return rows
}

async function createBookkeeping(db: pg.Client): Promise<void> {
  try {
    await db.query(BOOKKEEPING)
  } catch (error) {
    if (!hasCode(error, NOT_ALLOWED)) throw error
    throw new AppError(
      'CONFIG_INVALID',
      `The user in DATABASE_URL may not create tables (${messageOf(error)}). ${MAKE_OWNER}`,
      { cause: error },
    )
  }
}

/** What is still to be applied, in order. */
function compare(migrations: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { migration_name: name, checksum, finished_at: finishedAt } of applied) {
    if (finishedAt === null) throw refuse(`Migration ${name} failed half-way before`, `prisma migrate resolve`)
    const file = known.get(name)
    if (file !== undefined && file.checksum !== checksum) {
      throw refuse(
        `Migration ${name} was edited after it was applied to this database`,
        `git checkout prisma/migrations`,
      )
    }
  }
  const ahead = applied.map((row) => row.migration_name).filter((name) => !known.has(name))
  if (ahead.length > 0)
    throw new AppError(
      'CONFIG_INVALID',
      `The database belongs to a newer version of Factotum: it has ${ahead.length} migrations that this build does not know ` +
        `(${ahead.at(-1)}). Start that version, or restore a backup from before the upgrade.`,
    )
  const done = new Set(applied.map((row) => row.migration_name))
  return migrations.filter(({ name }) => !done.has(name))
}

function refuse(what: string, command: string): AppError {
  return new AppError('CONFIG_INVALID', `${what}. Nothing was changed. Put it right first, see "${command}".`)
}

/** Between its tries those that use the same tables go on. Throws SHUTTING_DOWN when `stopping` aborts meanwhile. */
async function applyUntilDone(db: pg.Client, migration: Migration, options: MigrateOptions): Promise<void> {
  const { logger, clock, stopping } = options
  for (let retryMs = RETRY_MS.first; ; retryMs = Math.min(2 * retryMs, RETRY_MS.last)) {
    const reason = await apply(db, migration)
    if (reason === null) return
    const { rows } = await db.query(OLDEST_TRANSACTION)
    logger.warn(
      { migration: migration.name, reason, oldestTransaction: rows[0], retryMs },
      'another transaction holds what a migration needs; the migration is rolled back and retried',
    )
    await clock.sleep(retryMs, stopping)
    if (stopping?.aborted === true) throw new AppError('SHUTTING_DOWN', 'Stopped while a migration waited for a lock.')
  }
}

/**
 * The whole file is one simple query: many statements, function bodies and all. Returns why it is to be retried, or
 * null.
 */
async function apply(db: pg.Client, { name, sql, checksum }: Migration): Promise<string | null> {
  try {
    await db.query('BEGIN')
    await db.query(LOCK_TIMEOUT)
    await db.query(sql)
    await db.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (gen_random_uuid(), $1, $2, now(), clock_timestamp(), 1)`,
      [checksum, name],
    )
    await db.query('COMMIT')
    return null
  } catch (error) {
    // Nothing else uses this connection: that it ends rolls the transaction back.
    if (!(error instanceof pg.DatabaseError)) throw cannotConnect(error)
    if (hasCode(error, ...LOCKED)) {
      await db.query('ROLLBACK')
      return error.message
    }
    const fix = hasCode(error, NOT_ALLOWED) ? ` ${MAKE_OWNER}` : ''
    throw new AppError('CONFIG_INVALID', `Migration ${name} failed and was rolled back: ${error.message}.${fix}`, {
      cause: error,
    })
  }
}
