/**
 * A turn reads the same number of rows in an old session as in a young one, and with many facts as with few. Rows are
 * counted by PostgreSQL, so nothing depends on the machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GLOBAL_SCOPE } from '../../src/core/knowledge/fact-scope.ts'
import { loadSpan } from '../../src/knowledge/checkpoints/load-span.ts'
import { compareWithKnown } from '../../src/knowledge/learnings/compare-with-known.ts'
import { loadCuration } from '../../src/knowledge/load-curation.ts'
import { loadUnsummarised } from '../../src/knowledge/load-unsummarised.ts'
import { selectFacts } from '../../src/knowledge/select-facts.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { takeSession } from '../../src/store/turn/begin-turn.ts'
import { dueIdleCheckpoints } from '../../src/store/knowledge/checkpoints.ts'
import { Database } from '../../src/store/database.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { fillFacts, fillSession } from '../harness/long-history.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const TURNS = 1500
const FACTS = 4000
const limits = { summarizeThreshold: 30, maxRunningPerUser: 1000 }

let world: World
const run = (sql: string, values: readonly unknown[]): Promise<unknown> => world.sql(sql, ...values)

beforeAll(async () => {
  world = await createWorld()
  await fillSession(run, { id: 'cli:young', turns: 100 })
  await fillSession(run, { id: 'cli:old', turns: TURNS })
  for (const sessionId of ['cli:young', 'cli:old']) {
    await sendMessage(world.context, world.as('alice'), { sessionId, content: 'Say hi to the server.' })
  }
  await world.sql('ANALYZE')
})
afterAll(() => world[Symbol.asyncDispose]())

/** How many rows `read` reads, in a transaction that leaves nothing behind. */
async function rowsRead(read: (database: Database) => Promise<unknown>): Promise<number> {
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: world.context.database.url, maxConnections: 1, logger })
  const sql = <Row extends object>(text: string): Promise<Row[]> => database.query<Row>({ name: '', text }, [])
  try {
    await sql('BEGIN')
    await read(database)
    const [row] = await sql<{ count: number }>(
      'SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS count FROM pg_stat_xact_user_tables',
    )
    await sql('ROLLBACK')
    return row?.count ?? 0
  } finally {
    await database.close()
  }
}

const reads: readonly [string, (database: Database, sessionId: string) => Promise<unknown>][] = [
  [
    'beginning a turn, with what was said before and what will be due',
    (database, sessionId) => takeSession(database, { sessionId, node: 1 }, { at: new Date(), limits }),
  ],
  ['what a checkpoint covers', (database, sessionId) => loadSpan(database, { sessionId, maxChars: 60_000 })],
  [
    'what is to be curated',
    (database, sessionId) => loadCuration(database, world.context.config.current(), { sessionId, done: [] }),
  ],
  [
    'what is to be summarised',
    (database, sessionId) =>
      loadUnsummarised(database, { sessionId, seq: 1_000_000, keepLast: 5, keepBytes: 16_000, maxChars: 60_000 }),
  ],
]

test.each(reads)('in an old session: %s', async (_, read) => {
  const young = await rowsRead((database) => read(database, 'cli:young'))
  const old = await rowsRead((database) => read(database, 'cli:old'))
  expect(young).toBeGreaterThan(0)
  expect(old).toBeLessThanOrEqual(young * 1.1)
})

test('of a session that the process holds, a turn reads none of what was said, however old it is', async () => {
  const begin = (sessionId: string, { turns, last }: Record<'turns' | 'last', number>) =>
    rowsRead((database) => {
      const rows = { messages: [], answers: [], hasMore: false }
      const turnId = `turn_0${String(last).padStart(9, '0')}_${sessionId}`
      const held = { rows, seq: turns * 20, turnId }
      return takeSession(database, { sessionId, node: 1 }, { at: new Date(), limits, held })
    })
  const young = await begin('cli:young', { turns: 100, last: 100 })
  expect(await begin('cli:old', { turns: TURNS, last: TURNS })).toBeLessThanOrEqual(young)
  // Each message with its turn and its answer; read where that was not the last turn, or there is more.
  const read = await begin('cli:young', { turns: 100, last: 101 })
  expect(read).toBeGreaterThanOrEqual(young + 30)
  expect(await begin('cli:young', { turns: 99, last: 100 })).toBeGreaterThanOrEqual(young + 30)
})

test('with many facts: beginning a turn', async () => {
  const begin = (database: Database): Promise<unknown> =>
    takeSession(database, { sessionId: 'cli:old', node: 1 }, { at: new Date(), limits })
  await fillFacts(run, 1, FACTS / 40)
  await world.sql('ANALYZE')
  const few = await rowsRead(begin)
  for (let from = FACTS / 40 + 1; from < FACTS; from += 900) await fillFacts(run, from, from + 899)
  await world.sql('ANALYZE')
  expect(few).toBeGreaterThan(0)
  expect(await rowsRead(begin)).toBeLessThanOrEqual(few * 1.1)
})

const rankings: readonly [string, (database: Database) => Promise<unknown>][] = [
  ['choosing some', (database) => selectFacts(database, { about: 'Say hi to the server of team 7.', maxCount: 20 })],
  [
    'finding what a learning repeats',
    (database) =>
      compareWithKnown(database, {
        norm: 'the server of team 7 says hi to all',
        turnId: 'turn_x',
        scope: GLOBAL_SCOPE,
        among: 'all',
      }),
  ],
]

// The first test has made them.
test.each(rankings)('with many facts: %s reads no more than so many of each word', async (_, read) => {
  const rows = await rowsRead(read)
  expect(rows).toBeGreaterThan(1000)
  expect(rows).toBeLessThan(9000)
})

/** Sessions with something to go over, each a second older than the one before; ten of them have just gone idle. */
async function fillSessions(from: number, to: number): Promise<void> {
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq, last_activity_at)
     SELECT 'cli:s' || n, 'cli', true, 1, now() - interval '9 minutes 50 seconds' - n * interval '1 second' FROM generate_series($1::int, $2::int) n`,
    from,
    to,
  )
  await world.sql(
    `INSERT INTO messages (id, session_id, seq, role, content, trusted, status, client, created_at)
     SELECT 'msg_s' || n, 'cli:s' || n, 1, 'USER', 'x', true, 'STORED', 'cli', now() FROM generate_series($1::int, $2::int) n`,
    from,
    to,
  )
  await world.sql('ANALYZE')
}

test('with many sessions: which of them went idle', async () => {
  // Each time the same span is read, however long the machine takes in between.
  const rowsOfLook = async (): Promise<number> => {
    await world.sql(`UPDATE checkpoint_state SET looked_until = now() - interval '9 minutes 20 seconds'`)
    return rowsRead((database) => dueIdleCheckpoints(database, 600_000))
  }
  await fillSessions(1, 300)
  const few = await rowsOfLook()
  await fillSessions(301, 3000)
  const many = await rowsOfLook()
  expect(few).toBeGreaterThan(10)
  expect(many).toBeLessThanOrEqual(few * 1.1)
})
