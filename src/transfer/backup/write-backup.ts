/**
 * Writes everything that the database holds as of one moment, also while servers work on it: one snapshot, table after
 * table. Not in it: what graphile-worker is to do later, which the sweeps of a server find again, and secrets, which
 * are in no table.
 */
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Progress } from '../../config/command-line/progress.ts'
import { connectClient } from '../../store/connection/connect-client.ts'
import { tablesAfter } from '../../store/connection/migrate.ts'
import { lineOf, rowsIn, type BackupHeader } from './backup-format.ts'
import { readHomeFiles, type HomeFolder } from './home-files.ts'
import { LeftOut } from './left-out.ts'

export interface WriteBackupOptions {
  readonly databaseUrl: string
  readonly home: string
  /** What is copied of the home, besides the rows; as it is when its turn comes. */
  readonly folders: readonly HomeFolder[]
  readonly version: string
  readonly at: Date
  /** Collects what is left out. */
  readonly leftOut?: LeftOut
  readonly progress?: Pick<Progress, 'say'>
  /** The snapshot of the rows, for who wants to read the same. */
  readonly onSnapshot?: (id: string) => Promise<void>
}

/** Rejects with an AppError when the database cannot be reached or read. */
export async function* writeBackup(options: WriteBackupOptions): AsyncGenerator<Buffer, void, void> {
  const { leftOut = new LeftOut() } = options
  const client = await connectClient(options.databaseUrl, 'factotum backup')
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await options.onSnapshot?.(await snapshotOf(client))
    const header = await readHeader(client, { ...options, leftOut })
    yield lineOf(header)
    const rows: Record<string, number> = {}
    let bytes = 0
    for (const { name, columns } of header.tables) {
      rows[name] = 0
      for await (const chunk of client.query(
        copyTo(`COPY ${quoted(name)} (${columns.map(quoted).join(', ')}) TO STDOUT`),
      )) {
        const piece = chunk as Buffer
        yield lineOf({ table: name, bytes: piece.length })
        yield piece
        bytes += piece.length
        rows[name] += rowsIn(piece)
        options.progress?.say(`${name}: ${rows[name]} rows, ${mebibytes(bytes)} in all`)
      }
    }
    // Files may take hours: a snapshot would keep the database from clearing away meanwhile, and an idle one is ended.
    await client.query('COMMIT')
    await client.end()
    for await (const piece of readHomeFiles({ ...options, leftOut: leftOut.files })) {
      yield piece
      bytes += piece.length
      options.progress?.say(`files: ${mebibytes(bytes)} in all`)
    }
    yield lineOf({ end: true, rows })
  } finally {
    await client.end() // of one that has ended, it does nothing
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`
}

/** A name in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

async function snapshotOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id')
  return rows[0]?.id ?? ''
}

const TABLES = `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> '_prisma_migrations'
    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  GROUP BY c.relname ORDER BY c.relname`

async function readHeader(
  client: pg.Client,
  { version, at, leftOut }: Pick<WriteBackupOptions, 'version' | 'at'> & { readonly leftOut: LeftOut },
): Promise<BackupHeader> {
  const { rows: found } = await client.query<{ name: string; columns: string[] }>(TABLES)
  const { rows } = await client.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
      ORDER BY migration_name`,
  )
  const migrations = rows.map(({ name }) => name)
  const tables = await ownTables({ migrations, tables: found }, leftOut)
  return { backup: 1, version, at: at.toISOString(), migrations, tables }
}

/** Those that migrations made: what an operator or an extension keeps beside them is not ours to copy. */
export async function ownTables(
  { migrations, tables }: Pick<BackupHeader, 'migrations' | 'tables'>,
  leftOut: LeftOut,
): Promise<BackupHeader['tables']> {
  const made = await tablesAfter(migrations)
  const isOwn = (name: string): boolean => made === null || made.has(name)
  for (const { name } of tables) if (!isOwn(name)) leftOut.tables.add(name)
  return tables.filter(({ name }) => isOwn(name))
}
