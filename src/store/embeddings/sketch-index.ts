/**
 * An index over all sketches, by pgvector, where the database server has that: nearest-sketches.ts then finds the
 * nearest of many without reading all. It is no migration: a database without pgvector has the same schema otherwise,
 * and what is stored is the same, so that backups go from one to the other.
 *
 * What must hold: one process at a time makes it, beside all reading and writing; one that was cut off half-way is made
 * anew. The build is the database's: it goes on there when the process that began it dies.
 */
import { DatabaseError, escapeIdentifier, type Client } from 'pg'
import { hasCode } from '../../platform/error-code.ts'
import { connectClient } from '../connection/connect-client.ts'
import type { Queryable } from '../database.ts'
import { toAppError } from '../to-app-error.ts'

/** Its name, by which each process knows it. */
export const SKETCH_INDEX = 'fact_embeddings_sketch_idx'

/** What a database has of pgvector. */
export interface SketchIndexState {
  /** The version in this database; null: none. */
  readonly created: string | null
  /** The version that the server could create; null: none. */
  readonly available: string | null
  /** Whether this role may create it. */
  readonly mayCreate: boolean
  readonly index: 'READY' | 'NOT_WHOLE' | 'NONE'
  /** Whether there are more vectors than are all compared anyway. */
  readonly isWorthwhile: boolean
}

/** `from`: how many vectors are worth an index. */
export async function readSketchIndex(database: Queryable, from: number): Promise<SketchIndexState> {
  const [state] = await database.query<SketchIndexState>(STATE, [from])
  if (state === undefined) throw new Error('a statement without FROM gave no row')
  return state
}

const STATE = {
  name: 'embedding.index-state',
  text: `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS created,
      (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS available,
      (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR EXISTS (
        SELECT FROM pg_available_extension_versions WHERE name = 'vector' AND trusted
          AND has_database_privilege(current_database(), 'CREATE')) AS "mayCreate",
      coalesce((SELECT CASE WHEN indisvalid THEN 'READY' ELSE 'NOT_WHOLE' END FROM pg_index
        WHERE indexrelid = to_regclass('${SKETCH_INDEX}')), 'NONE') AS index,
      EXISTS (SELECT FROM fact_embeddings OFFSET $1::int) AS "isWorthwhile"`,
}

/** Whether pgvector of this version has an index over bits. */
export function canIndex(version: string): boolean {
  return isFrom(version, 7)
}

/** Whether its index goes on when what it found is out of reach. */
export function canGoOn(version: string): boolean {
  return isFrom(version, 8)
}

function isFrom(version: string, minor: number): boolean {
  const [found = 0, of = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return found > 0 || of >= minor
}

/** `ELSEWHERE`: another connection is at it. `FORBIDDEN`: this role may not create what is missing. */
export type SketchIndexing = 'MADE' | 'ELSEWHERE' | 'FORBIDDEN'

/**
 * Creates the extension, and the index over what there is; returns at once what is there already. Takes minutes with
 * 100 000 facts; when `signal` aborts it is left to the database. Rejects with DATABASE_UNAVAILABLE, also when it takes
 * too long, or with a bug.
 */
export async function makeSketchIndex(url: string, signal: AbortSignal): Promise<SketchIndexing> {
  const client = await connectClient(url, 'factotum pgvector')
  const leave = (): void => void client.end().catch(() => {})
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  try {
    return await make(client)
  } catch (error) {
    if (signal.aborted) return 'ELSEWHERE'
    if (error instanceof DatabaseError && hasCode(error, NOT_ALLOWED)) return 'FORBIDDEN'
    throw toAppError(error)
  } finally {
    signal.removeEventListener('abort', leave)
    if (!signal.aborted) await client.end()
  }
}

const NOT_ALLOWED = '42501'
/** Also for transactions of others, which it waits for; one that is never ended would hold it up for ever. */
const BUILD_WITHIN_MS = 3_600_000
const LOCK = 72_707_371

/** Each statement by itself: an index that is built beside writes takes no transaction. */
async function make(client: Client): Promise<SketchIndexing> {
  await client.query(`SET statement_timeout = ${BUILD_WITHIN_MS}`)
  const { rows: locks } = await client.query<{ mine: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS mine`)
  if (locks[0]?.mine !== true) return 'ELSEWHERE'
  await client.query('CREATE EXTENSION IF NOT EXISTS vector')
  const { rows } = await client.query<{ schema: string; isWhole: boolean | null }>(FOUND)
  const [found] = rows
  if (found === undefined || found.isWhole === true) return 'MADE'
  if (found.isWhole === false) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${SKETCH_INDEX}`)
  await client.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${SKETCH_INDEX} ON fact_embeddings
    USING hnsw (sketch ${quotedName(found.schema)}.bit_hamming_ops)`)
  return 'MADE'
}

const FOUND = `SELECT n.nspname AS schema, i.indisvalid AS "isWhole"
  FROM pg_extension v JOIN pg_namespace n ON n.oid = v.extnamespace
    LEFT JOIN pg_index i ON i.indexrelid = to_regclass('${SKETCH_INDEX}') WHERE v.extname = 'vector'`

/** As SQL has names that may be anything. */
export function quotedName(name: string): string {
  return escapeIdentifier(name)
}
