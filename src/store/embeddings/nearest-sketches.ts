/**
 * Facts whose sketches differ least from that of a question: all in reach compared, or, of many, by an index of
 * pgvector where the database has one (sketch-index.ts). Both see the same rows: IN_REACH is their only condition.
 */
import type { Reach } from '../../core/knowledge/fact-scope.ts'
import { AppError } from '../../core/errors.ts'
import type { Database } from '../database.ts'
import type { DueFact } from './fact-embeddings.ts'
import { isVouchedFor } from '../knowledge/vouched-facts.ts'
import { canGoOn, quotedName, SKETCH_INDEX } from './sketch-index.ts'

/** A fact that may be near to a question. */
export interface NearVector extends DueFact {
  readonly vector: Float32Array
  /** Of facts in reach: in how many bits their sketches differ from the question's, and how much that varies. */
  readonly meanDiffering: number
  readonly spread: number
  /** How many facts in reach there are; of more than are all compared, only that there are more. */
  readonly total: number
}

interface NearTo {
  readonly model: string
  readonly reach: Reach
  /** Whose word counts as it is; null: everybody's. */
  readonly teachers: readonly string[] | null
  readonly sketch: string
  readonly limit: number
  /** So many facts in reach are all compared; for tests. */
  readonly comparedAll?: number
}

/** With so few, comparing all takes no longer than the index does, and misses nothing (`npm run bench:memory`). */
export const COMPARED_ALL = 10_000

interface Row extends Omit<NearVector, 'vector'> {
  readonly bytes: Buffer
}

/** The facts in reach whose sketches differ least from this one; by the index some are missed. */
export async function nearestSketches(database: Database, near: NearTo): Promise<NearVector[]> {
  const { model, reach, teachers, sketch, limit } = near
  const values = [model, reach, sketch, limit, teachers]
  const rows = (await byIndex(database, near, values)) ?? (await database.query<Row>(NEAREST_OF_ALL, values))
  return rows.map(({ id, content, bytes, meanDiffering, spread, total }) => {
    return { id, content, meanDiffering, spread, total, vector: vectorOf(bytes) }
  })
}

const IN_REACH = 'model = $1 AND scope = ANY ($2::text[])'
const DIFFERING = 'bit_count(sketch # $3::text::bit(1024))::int'
const MEASURED = 'avg(differing)::float8 AS mean, stddev_pop(differing)::float8 AS spread, count(*)::int AS total'
/** Of what is nearest, what may be shown: the facts' own rows decide. */
const SHOWN = `nearest JOIN fact_embeddings e ON e.fact_id = nearest.fact_id AND e.model = $1
      JOIN facts f ON f.id = e.fact_id AND f.invalidated_at IS NULL
        AND f.scope || ' ' || f.scope_of = ANY ($2::text[]) AND ${isVouchedFor('$5')}`
const COLUMNS = `f.id, f.content, e.vector AS bytes, measured.mean AS "meanDiffering", measured.spread, measured.total`

/** Reads the sketches of all facts in reach. What others taught does not crowd out what an admin may be shown. */
const NEAREST_OF_ALL = {
  name: 'embedding.nearest',
  text: `WITH compared AS MATERIALIZED (SELECT fact_id, ${DIFFERING} AS differing FROM fact_embeddings WHERE ${IN_REACH}),
    measured AS (SELECT ${MEASURED} FROM compared),
    nearest AS MATERIALIZED (
      SELECT fact_id FROM (SELECT fact_id, differing FROM compared ORDER BY differing, fact_id LIMIT 10 * $4::int) best
      WHERE $5::text[] IS NULL OR EXISTS (SELECT FROM facts f WHERE f.id = best.fact_id AND ${isVouchedFor('$5')})
      ORDER BY differing, fact_id LIMIT $4::int)
    SELECT ${COLUMNS} FROM measured, ${SHOWN}`,
}

interface Probe {
  readonly schema: string
  readonly version: string
  readonly inReach: number
}

/** Asked each time, so that an index counts from when it is there until it is not. */
const PROBE = {
  name: 'embedding.probe-index',
  text: `SELECT n.nspname AS schema, v.extversion AS version, (SELECT count(*)::int FROM (
        SELECT FROM fact_embeddings WHERE ${IN_REACH} LIMIT $3::int) counted) AS "inReach"
    FROM pg_index i JOIN pg_extension v ON v.extname = 'vector' JOIN pg_namespace n ON n.oid = v.extnamespace
    WHERE i.indexrelid = to_regclass('${SKETCH_INDEX}') AND i.indisvalid`,
}

/**
 * Null: there is no index, there are so few facts in reach that all can be compared, or the index does not find enough,
 * as few of what it holds is in reach, or most of what it finds may not be shown.
 */
async function byIndex(
  database: Database,
  { model, reach, limit, comparedAll = COMPARED_ALL }: NearTo,
  values: readonly unknown[],
): Promise<Row[] | null> {
  const [probe] = await database.query<Probe>(PROBE, [model, reach, comparedAll + 1])
  if (probe === undefined || probe.inReach <= comparedAll) return null
  const rows = await database.query<IndexRow>(nearestByIndex(probe), values).catch(nullIfChanged)
  const [first] = rows ?? []
  if (first === undefined || first.found < limit || first.total < LEAST_SAMPLED) return null
  const shown = (rows ?? []).flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id, total: probe.inReach }]))
  return shown.length < limit / 2 ? null : shown
}

/** A row without a fact when none may be shown. */
type IndexRow = Omit<Row, 'id'> & { readonly id: string | null; readonly found: number }

/** More than are wanted: what the index meets first is not all that is nearest, nor all in reach. */
const WIDTH = `set_config('hnsw.ef_search', least(1000, 2 * $4::int)::text, true)`
/** When too little of it is in reach. */
const GO_ON = `set_config('hnsw.iterative_scan', 'relaxed_order', true)`

/** Of all vectors so many are read, in and out of reach, to measure what is usual. */
const SAMPLED = 2000
/** In reach; fewer say too little, and then few of what the index finds would be in reach, too. */
const LEAST_SAMPLED = 200

/**
 * The settings are of the statement alone, and made before the index is asked, as that depends on their number; without
 * them it would find too few. Not prepared: the text depends on where pgvector is, the plan on how much is in reach.
 */
function nearestByIndex({ schema, version }: Probe): { readonly name: string; readonly text: string } {
  return {
    name: '',
    text: `WITH settings AS MATERIALIZED (SELECT ${WIDTH} AS width${canGoOn(version) ? `, ${GO_ON}` : ''}),
    sampled AS (
      SELECT ${DIFFERING} AS differing FROM fact_embeddings TABLESAMPLE SYSTEM ((
        SELECT least(100, 100 * ${SAMPLED} / greatest(reltuples, 1)) FROM pg_class
        WHERE oid = 'fact_embeddings'::regclass)) REPEATABLE (1)
      WHERE ${IN_REACH}),
    measured AS (SELECT ${MEASURED} FROM sampled),
    nearest AS MATERIALIZED (
      SELECT fact_id FROM fact_embeddings WHERE ${IN_REACH} AND (SELECT count(width) FROM settings) = 1
      ORDER BY sketch OPERATOR(${quotedName(schema)}.<~>) $3::text::bit(1024) LIMIT $4::int)
    SELECT ${COLUMNS}, (SELECT count(*)::int FROM nearest) AS found FROM measured LEFT JOIN (${SHOWN}) ON true`,
  }
}

/** pgvector may go between two statements; what else is wrong, comparing all will say. */
function nullIfChanged(error: unknown): null {
  if (error instanceof AppError) throw error
  return null
}

function vectorOf(bytes: Buffer): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array(bytes.length / 4)
  // A loop: Float32Array.from takes ten times as long, and there are hundreds of them.
  for (let at = 0; at < vector.length; at += 1) vector[at] = view.getFloat32(4 * at, true)
  return vector
}
