/**
 * The nearest of many facts by an index of pgvector: made where it can be, with the same facts for the same people as
 * comparing all finds, and not missed where it is not there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GLOBAL_SCOPE, reachOfScope, type Reach } from '../../src/core/knowledge/fact-scope.ts'
import { SketchIndexJob } from '../../src/knowledge/embeddings/sketch-index-job.ts'
import { sketchOf } from '../../src/knowledge/embeddings/sketch.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { storeEmbeddings } from '../../src/store/embeddings/fact-embeddings.ts'
import { nearestSketches, type NearVector } from '../../src/store/embeddings/nearest-sketches.ts'
import { makeSketchIndex, readSketchIndex } from '../../src/store/embeddings/sketch-index.ts'
import { createTestDatabase } from '../harness/database.ts'
import { startPgvectorDatabase, type PgvectorDatabase } from '../harness/pgvector-database.ts'
import { SeededRandom } from '../harness/seeded-random.ts'

const COMPARED_ALL = 100
const LIMIT = 60
const AT_ONCE = 50
const MODEL = 'meanings:words'

let postgres: PgvectorDatabase
let database: Database
const log: string[] = []
const logger = createLogger({ level: 'info', pretty: false, to: { write: (line) => void log.push(line) } })

beforeAll(async () => {
  postgres = await startPgvectorDatabase()
  database = new Database({ url: postgres.url, maxConnections: 1, logger })
  await fill(database)
})
afterAll(async () => {
  await database.close()
  await postgres[Symbol.asyncDispose]()
})

/** What a connection prepared outlives it here, and would be in the way of the next one. */
async function reconnect(): Promise<void> {
  await sql('DEALLOCATE ALL')
  await database.close()
  database = new Database({ url: postgres.url, maxConnections: 1, logger })
}

const sql = <Row extends object>(text: string): Promise<Row[]> => database.query<Row>({ name: '', text }, [])

/** In a few directions, as texts about a few things are. */
const random = new SeededRandom(1)
const DIRECTIONS = Array.from({ length: 12 }, () => noise())
function noise(): Float32Array {
  return Float32Array.from({ length: 64 }, () => random.fraction() - 0.5)
}
function about(topic: number): Float32Array {
  const own = noise()
  return own.map((part, at) => part + 1.5 * (DIRECTIONS[topic % DIRECTIONS.length]?.[at] ?? 0))
}

/** Everybody's, half of them reviewed; some of ben's and of cleo's own. */
async function fill(on: Database): Promise<void> {
  const owners = [...Array.from({ length: 700 }, () => ''), ...Array.from({ length: 150 }, () => 'ben'), 'cleo', 'cleo']
  const facts = owners.map((of, at) => ({ id: `fact_${1000 + at}`, content: `Text ${at}.`, of, vector: about(at) }))
  const insert = `INSERT INTO facts (id, content, norm, source, scope, scope_of, reviewed_by, reviewed_at, created_at, updated_at)
    SELECT id, content, lower(content), 'MANUAL', (CASE WHEN of = '' THEN 'GLOBAL' ELSE 'USER' END)::fact_scope, of,
      'bea', CASE WHEN id < 'fact_1350' THEN now() END, now(), now()
    FROM unnest($1::text[], $2::text[], $3::text[]) AS f (id, content, of)`
  // Some at a time: a statement on a busy machine has its deadline.
  for (let from = 0; from < facts.length; from += AT_ONCE) {
    const part = facts.slice(from, from + AT_ONCE)
    const columns = [part.map(({ id }) => id), part.map(({ content }) => content), part.map(({ of }) => of)]
    await on.query({ name: '', text: insert, timeoutMs: 60_000 }, columns)
    const embedded = part.map((fact) => ({ ...fact, sketch: sketchOf(fact.vector) }))
    await storeEmbeddings(on, { runId: 'run', model: MODEL, facts: embedded }, [])
  }
}

const EVERYBODYS = reachOfScope(GLOBAL_SCOPE)
const of = (user: string): Reach => reachOfScope({ scope: 'USER', scopeOf: user })

interface Asked {
  readonly topic?: number
  readonly reach?: Reach
  readonly teachers?: readonly string[]
  /** All in reach are. */
  readonly isExact?: boolean
}

const QUESTIONS = DIRECTIONS.map((_, topic) => sketchOf(about(topic)))

function nearest({ topic = 0, reach = EVERYBODYS, teachers, isExact = false }: Asked): Promise<NearVector[]> {
  const sketch = QUESTIONS[topic] ?? ''
  const comparedAll = isExact ? 1_000_000 : COMPARED_ALL
  return nearestSketches(database, {
    model: MODEL,
    reach,
    teachers: teachers ?? null,
    sketch,
    limit: LIMIT,
    comparedAll,
  })
}

const idsOf = (facts: readonly NearVector[]): string[] => facts.map(({ id }) => id).toSorted()
/** By the index it is only known that there are more than would all be compared. */
const isByIndex = (facts: readonly NearVector[]): boolean => facts[0]?.total === COMPARED_ALL + 1
const state = async (): Promise<string> => (await readSketchIndex(database, COMPARED_ALL)).index

/** What a server does every minute. */
async function makeIndex({ comparedAll = COMPARED_ALL, isSet = true, on = database } = {}): Promise<void> {
  const choice = isSet ? { provider: 'meanings', model: 'words' } : null
  const timing = { sketchIndexPollMs: 60_000 }
  await new SketchIndexJob({
    database: on,
    embedder: { choice },
    timing,
    clock: systemClock,
    logger,
    comparedAll,
  }).tick()
}

test('there is no index without an embedder, nor for few facts: all are compared', async () => {
  await makeIndex({ isSet: false })
  await makeIndex({ comparedAll: 1000 })
  expect(await readSketchIndex(database, COMPARED_ALL)).toMatchObject({ created: null, index: 'NONE' })
  expect(await nearest({})).toMatchObject({ length: LIMIT, 0: { total: 700 } })
})

test('a role that may not create pgvector is said so once, with what to do, and compares all', async () => {
  await sql(`CREATE ROLE plain; GRANT ALL ON ALL TABLES IN SCHEMA public TO plain; SET ROLE plain`)
  const job = { database, embedder: { choice: { provider: 'meanings', model: 'words' } }, comparedAll: COMPARED_ALL }
  const plain = new SketchIndexJob({ ...job, timing: { sketchIndexPollMs: 60_000 }, clock: systemClock, logger })
  await plain.tick()
  await plain.tick()
  expect(await readSketchIndex(database, COMPARED_ALL)).toMatchObject({ mayCreate: false, created: null })
  expect(await nearest({})).toHaveLength(LIMIT)
  expect(log.filter((line) => line.includes('CREATE EXTENSION vector'))).toHaveLength(1)
  await sql('RESET ROLE')
})

test('with many facts it is made, once, and finds nearly what comparing all finds', async () => {
  await makeIndex()
  await makeIndex()
  expect(await state()).toBe('READY')
  expect(log.filter((line) => line.includes('have an index'))).toHaveLength(1)
  let found = 0
  for (const topic of QUESTIONS.keys()) {
    const byIndex = await nearest({ topic })
    const exact = await nearest({ topic, isExact: true })
    expect([isByIndex(byIndex), isByIndex(exact)]).toEqual([true, false])
    expect(byIndex).toHaveLength(LIMIT)
    const known = new Set(idsOf(exact))
    found += byIndex.filter(({ id }) => known.has(id)).length
    // What is usual is measured by a sample.
    expect(byIndex[0]?.meanDiffering).toBeCloseTo(exact[0]?.meanDiffering ?? 0, -1)
  }
  expect(found).toBeGreaterThan(0.9 * LIMIT * QUESTIONS.length)
})

test('it shows no user what others alone may see, nor what no person vouches for', async () => {
  const bens = await nearest({ reach: of('ben') })
  expect(isByIndex(bens)).toBe(true)
  expect(idsOf(bens).filter((id) => id >= 'fact_1850')).toEqual([])
  const everybodys = await nearest({ topic: 10 })
  expect(idsOf(everybodys).filter((id) => id >= 'fact_1700')).toEqual([])
  const vouched = await nearest({ teachers: ['ada'] })
  expect(vouched.length).toBeGreaterThan(0)
  expect(idsOf(vouched).filter((id) => id >= 'fact_1350')).toEqual([])
  expect(await nearest({ teachers: ['ada'], isExact: true })).toHaveLength(LIMIT)
  // Most of what the index finds is others' then, and what may be shown is behind it.
  await sql(`UPDATE facts SET reviewed_at = NULL WHERE id > 'fact_1200'`)
  const [few, all] = [await nearest({ teachers: ['ada'] }), await nearest({ teachers: ['ada'], isExact: true })]
  expect(all).toHaveLength(LIMIT)
  expect(idsOf(few)).toEqual(idsOf(all))
  await sql(`UPDATE facts SET reviewed_at = NULL`)
  expect(await nearest({ teachers: ['ada'] })).toEqual([])
})

test('of little that is in reach all is found, as all of it is compared', async () => {
  const alone: Reach = of('ben').filter((scope) => !EVERYBODYS.includes(scope))
  const bens = await nearest({ reach: alone })
  expect(bens).toMatchObject({ length: LIMIT, 0: { total: 150 } })
  expect(idsOf(bens)).toEqual(idsOf(await nearest({ reach: alone, isExact: true })))
})

test('a server that was stopped while it connected begins none', async () => {
  await sql('DROP INDEX fact_embeddings_sketch_idx')
  expect(await makeSketchIndex(postgres.url, AbortSignal.abort())).toBe('ELSEWHERE')
  expect(await state()).toBe('NONE')
  await makeIndex()
  expect(await state()).toBe('READY')
})

test('one that was cut off half-way counts for nothing, and is made anew', async () => {
  await sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'fact_embeddings_sketch_idx'::regclass`)
  expect(await state()).toBe('NOT_WHOLE')
  expect(isByIndex(await nearest({}))).toBe(false)
  await makeIndex()
  expect(await state()).toBe('READY')
  expect(isByIndex(await nearest({}))).toBe(true)
})

test('pgvector may go at any time: all are compared then, until it is back', async () => {
  // As between finding the index and asking it.
  await sql('CREATE SCHEMA elsewhere; ALTER OPERATOR <~> (bit, bit) SET SCHEMA elsewhere')
  await reconnect()
  expect(await nearest({})).toMatchObject({ length: LIMIT, 0: { total: 700 } })
  await reconnect()
  await sql('DROP EXTENSION vector CASCADE')
  expect(await nearest({})).toMatchObject({ length: LIMIT, 0: { total: 700 } })
  await makeIndex()
  expect(isByIndex(await nearest({}))).toBe(true)
})

test('a server without pgvector has none, and needs none', async () => {
  await using bare = await createTestDatabase()
  const without = new Database({ url: bare.url, maxConnections: 1, logger })
  await fill(without)
  await makeIndex({ on: without })
  expect(await readSketchIndex(without, COMPARED_ALL)).toMatchObject({ available: null, index: 'NONE' })
  await without.close()
})
