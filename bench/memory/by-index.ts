/**
 * The nearest of many sketches by an index of pgvector, beside comparing all of them: what each finds of what is
 * nearest by the vectors, and how long the database takes. Only where the server has pgvector.
 */
import { sketchOf } from '../../src/knowledge/embeddings/sketch.ts'
import type { Database } from '../../src/store/database.ts'
import { storeEmbeddings } from '../../src/store/embeddings/fact-embeddings.ts'
import { nearestSketches, type NearVector } from '../../src/store/embeddings/nearest-sketches.ts'
import { makeSketchIndex, readSketchIndex } from '../../src/store/embeddings/sketch-index.ts'
import { median } from '../figures.ts'
import { WANTED, type Nearest } from './sketches.ts'

interface Way {
  /** Of the nearest twenty, among the candidates. */
  readonly share: number
  readonly medianMs: number
}

export interface IndexRecall {
  readonly size: number
  readonly exact: Way
  readonly index: Way
  /** By how many of its standard deviations the mean of the sample was off, at most. */
  readonly meanOff: number
  readonly buildMs: number
}

const MODEL = 'bench:vectors'
const REACH = ['GLOBAL ']
const CANDIDATES = 300
const ROWS_AT_ONCE = 500
const ROUNDS = 5
const EVERYTHING = 2_000_000_000

/** False: the server has no pgvector. */
export async function indexSketches(database: Database): Promise<boolean> {
  if ((await readSketchIndex(database, 0)).available === null) return false
  return (await makeSketchIndex(database.url, new AbortController().signal)) === 'MADE'
}

/** Null: the server has no pgvector. Fills an empty database. */
export async function measureIndex(database: Database, nearest: Nearest): Promise<IndexRecall | null> {
  if ((await readSketchIndex(database, 0)).available === null) return null
  await fill(database, nearest.facts)
  const beganMs = performance.now()
  await indexSketches(database)
  const buildMs = performance.now() - beganMs
  await database.query({ name: '', text: 'VACUUM ANALYZE fact_embeddings' }, [])
  return { size: nearest.facts.length, buildMs, ...(await compare(database, nearest)) }
}

const idOf = (at: number): string => `fact_${String(at).padStart(7, '0')}`

/** Facts without terms, which are not asked for here. */
async function fill(database: Database, facts: readonly Float32Array[]): Promise<void> {
  for (let from = 0; from < facts.length; from += ROWS_AT_ONCE) {
    const part = facts.slice(from, from + ROWS_AT_ONCE).map((vector, at) => {
      return { id: idOf(from + at), content: idOf(from + at), vector, sketch: sketchOf(vector) }
    })
    await database.transaction(async (transaction) => {
      await transaction.query({ name: '', text: 'SET LOCAL session_replication_role = replica' }, [])
      await transaction.query(INSERT, [part.map(({ id }) => id)])
    })
    await storeEmbeddings(database, { runId: 'bench', model: MODEL, facts: part }, [])
  }
  await database.query({ name: '', text: 'VACUUM ANALYZE facts' }, [])
}

const INSERT = {
  name: '',
  text: `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
    SELECT id, id, id, 'MANUAL', now(), now() FROM unnest($1::text[]) AS f (id)`,
}

/** By turns, so that the load of the machine is the same for both. */
async function compare(
  database: Database,
  { questions }: Nearest,
): Promise<Pick<IndexRecall, 'exact' | 'index' | 'meanOff'>> {
  const ways = { exact: { found: 0, times: [] as number[] }, index: { found: 0, times: [] as number[] } }
  let meanOff = 0
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { vector, near } of questions) {
      const ask = async (way: keyof typeof ways, comparedAll: number): Promise<NearVector | undefined> => {
        const asked = { model: MODEL, reach: REACH, teachers: null, sketch: sketchOf(vector), limit: CANDIDATES }
        const beganMs = performance.now()
        const among = await nearestSketches(database, { ...asked, comparedAll })
        ways[way].times.push(performance.now() - beganMs)
        const ids = new Set(among.map(({ id }) => id))
        ways[way].found += near.filter((at) => ids.has(idOf(at))).length
        return among[0]
      }
      const exact = await ask('exact', EVERYTHING)
      const index = await ask('index', 0)
      if (exact !== undefined && index !== undefined)
        meanOff = Math.max(meanOff, Math.abs(exact.meanDiffering - index.meanDiffering) / exact.spread)
    }
  const asked = ROUNDS * questions.length * WANTED
  const wayOf = ({ found, times }: { found: number; times: number[] }): Way => {
    return { share: found / asked, medianMs: median(times) }
  }
  return { exact: wayOf(ways.exact), index: wayOf(ways.index), meanOff }
}
