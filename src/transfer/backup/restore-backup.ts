/**
 * Fills an empty database, and the home, from a backup: whole or not at all. The schema is first made that of the
 * backup, and brought up to date when the rows are in it. No trigger runs and no reference is checked until the end:
 * the rows are taken as they were, derived ones included.
 */
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Progress } from '../../config/command-line/progress.ts'
import { AppError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { connectClient } from '../../store/connection/connect-client.ts'
import { isMigrated, migrate, migrationNames } from '../../store/connection/migrate.ts'
import { goOnAfterRestore } from '../../store/go-on-after-restore.ts'
import { onConnection } from '../transfer-transaction.ts'
import { BackupReader, rowsIn, type BackupFrame, type BackupHeader } from './backup-format.ts'
import { LeftOut } from './left-out.ts'
import { nameOf, UnpackedHome } from './unpacked-home.ts'
import { ownTables, quoted } from './write-backup.ts'

export interface RestoreOptions {
  readonly databaseUrl: string
  /** Null: files of the backup are left out. */
  readonly home: string | null
  readonly clock: Clock
  readonly logger: Logger
  /** Collects what is left out. */
  readonly leftOut?: LeftOut
  readonly progress?: Progress
}

export interface Restored {
  readonly header: BackupHeader
  readonly rows: number
  readonly files: number
}

/** A minute together. */
const [MAX_ASKED, ASK_AGAIN_MS] = [60, 1000]

/** Rejects with TRANSFER_REFUSED, having left the tables and the home empty, when it does not fit or is not whole. */
export async function restoreBackup(source: AsyncIterable<Buffer>, options: RestoreOptions): Promise<Restored> {
  const reader = new BackupReader(source)
  const written = await reader.header()
  refuseNewer(written, await migrationNames())
  await onAnother(options, (client) => refuseUnfit(client, written))
  await makeSchema(written, options)
  const { leftOut = new LeftOut() } = options
  const header = { ...written, tables: await ownTables(written, leftOut) }
  const own = new Set(header.tables.map(({ name }) => name))
  const foreign = new Set(written.tables.map(({ name }) => name).filter((name) => !own.has(name)))
  const client = await connectClient(options.databaseUrl, 'factotum restore')
  try {
    await client.query('BEGIN')
    await refuseFilled(client)
    const counted = await withHome(options.home, (home) =>
      fill(reader, { client, header, options, home, leftOut, foreign }),
    )
    await during(options, 'counting what is in the tables (ANALYZE)', () => analyze(options))
    await during(options, 'bringing the schema up to date', () => migrate(options.databaseUrl, options))
    await goOn(options)
    return { header, ...counted }
  } finally {
    await client.end() // what was not committed is rolled back
  }
}

function analyze(options: RestoreOptions): Promise<unknown> {
  return onAnother(options, (client) => client.query('ANALYZE'))
}

/** Commands write to the audit too, and may before a server starts. */
function goOn(options: RestoreOptions): Promise<unknown> {
  return onAnother(options, (client) => goOnAfterRestore(onConnection(client)))
}

async function onAnother<Result>(
  { databaseUrl }: RestoreOptions,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(databaseUrl, 'factotum restore')
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function during<Result>({ progress }: RestoreOptions, what: string, work: () => Promise<Result>): Promise<Result> {
  return progress === undefined ? work() : progress.during(what, work)
}

/** Takes back what `work` has put into the home, should it fail. */
async function withHome<Result>(
  path: string | null,
  work: (home: UnpackedHome | null) => Promise<Result>,
): Promise<Result> {
  if (path === null) return work(null)
  const home = await UnpackedHome.begin(path)
  try {
    const result = await work(home)
    await home.end()
    return result
  } catch (error) {
    await home.takeBack()
    throw error
  }
}

/** Rows and files, until they are committed. */
async function fill(reader: BackupReader, loading: Loading): Promise<{ rows: number; files: number }> {
  const { client, header, home } = loading
  const references = await loosen(client, header)
  const counted = await load(reader, loading)
  await during(loading.options, 'checking references', () => fasten(client, { header, references }))
  await home?.place()
  await commit(loading)
  return counted
}

/** When the connection breaks, what became of the commit is asked by another one: its files go with the rows. */
async function commit({ client, options, home }: Loading): Promise<void> {
  const { rows } = await client.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid')
  try {
    await client.query('COMMIT')
  } catch (error) {
    const asking = during(options, 'asking what became of the commit', () => statusOf(rows[0]?.xid, options))
    const status = await asking.catch(() => 'unknown')
    if (status === 'committed') return
    if (status === 'aborted') throw error
    await home?.end()
    throw new AppError(
      'DATABASE_UNAVAILABLE',
      'The connection broke while the restore was committed, and the database cannot be asked whether it was. The files ' +
        'stay. If the database has sessions, all of it is restored; if not, move the files away, and restore again.',
      { cause: error },
    )
  }
}

/** As pg_xact_status has it: a commit under way is waited for. */
async function statusOf(xid: string | undefined, { databaseUrl, clock }: RestoreOptions): Promise<string> {
  const client = await connectClient(databaseUrl, 'factotum restore')
  try {
    for (let asked = 0; asked < MAX_ASKED; asked += 1) {
      const { rows } = await client.query<{ status: string }>('SELECT pg_xact_status($1::xid8) AS status', [xid])
      if (rows[0]?.status !== 'in progress') return rows[0]?.status ?? 'unknown'
      await clock.sleep(ASK_AGAIN_MS)
    }
    return 'unknown'
  } finally {
    await client.end()
  }
}

function refuseNewer({ migrations, version }: BackupHeader, names: readonly string[]): void {
  const known = new Set(names)
  const newer = migrations.filter((name) => !known.has(name))
  if (newer.length > 0)
    throw new AppError(
      'TRANSFER_REFUSED',
      `The backup is of version ${version}, which has ${newer.length} migrations that this one does not know: restore it with that version.`,
    )
}

/** Before the schema is made, which would speak of versions where the database is not empty, or not a new one. */
async function refuseUnfit(client: pg.Client, { migrations, version }: BackupHeader): Promise<void> {
  await refuseFilled(client)
  if (!(await isMigrated(client))) return
  const { rowCount } = await client.query(
    'SELECT FROM _prisma_migrations WHERE rolled_back_at IS NULL AND migration_name <> ALL ($1)',
    [migrations],
  )
  if (rowCount === 0) return
  throw new AppError(
    'TRANSFER_REFUSED',
    `The database has tables of a later version than the backup, which is of ${version}: restore into a new, empty one.`,
  )
}

async function makeSchema({ migrations }: BackupHeader, options: RestoreOptions): Promise<void> {
  const only = new Set(migrations)
  await during(options, 'making the tables', () => migrate(options.databaseUrl, { ...options, only }))
}

/** Tables that a server fills at its first start, or its first user soon after; an older schema has not all of them. */
const TELLING = ['nodes', 'sessions', 'events', 'audit_entries', 'facts', 'users']

async function refuseFilled(client: pg.Client): Promise<void> {
  const { rows: there } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname = ANY ($1)`,
    [TELLING],
  )
  if (there.length === 0) return
  const counts = there.map(({ name: table }) => `SELECT '${table}' AS name WHERE EXISTS (SELECT FROM ${quoted(table)})`)
  const { rows } = await client.query<{ name: string }>(counts.join(' UNION ALL '))
  if (rows.length === 0) return
  throw new AppError(
    'TRANSFER_REFUSED',
    `The database is not empty: it has ${rows.map(({ name }) => name).join(', ')}. Restore into a new one, before a server starts on it.`,
  )
}

interface Reference {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** Takes triggers and references out of the way, until the transaction ends or they are put back. */
async function loosen(client: pg.Client, { tables }: BackupHeader): Promise<readonly Reference[]> {
  const { rows: references } = await client.query<Reference>(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
      FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
  )
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quoted(name)}`)
  for (const { name } of tables) await client.query(`ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER`)
  // Migrations put rows into some of them, which are in the backup too.
  await client.query(`TRUNCATE ${tables.map(({ name }) => quoted(name)).join(', ')}`)
  return references
}

async function fasten(
  client: pg.Client,
  { header, references }: { readonly header: BackupHeader; readonly references: readonly Reference[] },
): Promise<void> {
  for (const { name } of header.tables) await client.query(`ALTER TABLE ${quoted(name)} ENABLE TRIGGER USER`)
  for (const { table, name, definition } of references)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quoted(name)} ${definition}`)
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `SELECT c.relname AS table, a.attname AS column, pg_get_serial_sequence(c.oid::regclass::text, a.attname) AS sequence
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1)
        AND pg_get_serial_sequence(c.oid::regclass::text, a.attname) IS NOT NULL`,
    [header.tables.map(({ name }) => name)],
  )
  for (const { table, column, sequence } of rows)
    await client.query(
      `SELECT setval($1::regclass, coalesce(max(${quoted(column)}), 1), count(*) > 0) FROM ${quoted(table)}`,
      [sequence],
    )
}

interface Loading {
  readonly client: pg.Client
  readonly header: BackupHeader
  readonly options: RestoreOptions
  /** Null: files of the backup are left out. */
  readonly home: UnpackedHome | null
  readonly leftOut: LeftOut
  /** Tables of the backup that are left out: a version that knew no better has copied them. */
  readonly foreign: ReadonlySet<string>
}

async function load(reader: BackupReader, loading: Loading): Promise<{ rows: number; files: number }> {
  const { home, options, foreign, leftOut } = loading
  const counted: Record<string, number> = {}
  let files = 0
  let frame = await reader.frame()
  while (!('end' in frame)) {
    if ('table' in frame && !foreign.has(frame.table)) {
      frame = await loadTable({ reader, first: frame, counted }, loading)
      continue
    }
    const bytes = reader.bytes('bytes' in frame ? frame.bytes : 0)
    if (home !== null && !('table' in frame)) {
      if (!(await home.write(frame, bytes))) leftOut.files.add(nameOf(frame))
      else if ('file' in frame) files += 1
    }
    for await (const _ of bytes); // those that were not taken
    options.progress?.say(`files: ${files}`)
    frame = await reader.frame()
  }
  for (const [table, rows] of Object.entries(frame.rows))
    if ((counted[table] ?? 0) !== rows && !foreign.has(table))
      throw new AppError(
        'TRANSFER_REFUSED',
        `The backup is damaged: ${table} has ${counted[table] ?? 0} of ${rows} rows.`,
      )
  return { rows: Object.values(counted).reduce((sum, rows) => sum + rows, 0), files }
}

interface LoadingTable {
  readonly reader: BackupReader
  readonly first: Extract<BackupFrame, { table: string }>
  readonly counted: Record<string, number>
}

/** All frames of one table, which follow each other; returns the first that is none of it. */
async function loadTable(
  { reader, first, counted }: LoadingTable,
  { client, header, options }: Loading,
): Promise<BackupFrame> {
  const { table } = first
  const columns = header.tables.find(({ name }) => name === table)?.columns
  if (columns === undefined) throw new AppError('TRANSFER_REFUSED', `The backup is damaged: it has no table ${table}.`)
  let frame: BackupFrame = first
  async function* pieces(): AsyncGenerator<Buffer, void, void> {
    while ('table' in frame && frame.table === table) {
      for await (const piece of reader.bytes(frame.bytes)) {
        counted[table] = (counted[table] ?? 0) + rowsIn(piece)
        yield piece
      }
      options.progress?.say(`${table}: ${counted[table] ?? 0} rows`)
      frame = await reader.frame()
    }
  }
  const copy = client.query(copyFrom(`COPY ${quoted(table)} (${columns.map(quoted).join(', ')}) FROM STDIN`))
  await pipeline(pieces, copy)
  return frame
}
