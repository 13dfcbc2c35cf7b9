/** Since when the models that a turn waits for have been away: which calls begin an outage, and which end one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CalledAs } from '../../src/core/model-call.ts'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import { Database } from '../../src/store/database.ts'
import { outageSince } from '../../src/store/turn/outage-since.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'

const STARTED = Date.parse('2026-11-21T09:00:00Z')
const COUNTS = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: null, durationMs: 1 }

let place: TestDatabase
let database: Database
beforeAll(async () => {
  place = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: place.url, maxConnections: 1, logger })
})
afterAll(async () => {
  await database.close()
  await place[Symbol.asyncDispose]()
})

type Call = readonly [role: CalledAs, status: string]

/** The minute in which the outage began of a turn that makes one call in each minute; null: none. */
async function beganInMinute(calls: readonly Call[]): Promise<number | null> {
  const [sessionId, turnId] = ['cli:away', newId('turn')]
  const entries = calls.map(([role, status], minute) => ({
    at: new Date(STARTED + minute * 60_000),
    sessionId,
    turnId,
    actor: 'ada',
    tokenName: null,
    body: { kind: 'MODEL_CALL', role, provider: 'p', model: 'm', status, ...COUNTS } as const,
  }))
  await appendAudit(database, entries)
  const since = await outageSince(database, { sessionId, turnId, startedAt: new Date(STARTED) })
  return since === null ? null : (since.getTime() - STARTED) / 60_000
}

const AWAY: Call = ['planner', 'MODEL_OVERLOADED']

test('it begins with the first call that failed, and ends with one that is answered', async () => {
  expect(await beganInMinute([AWAY, AWAY, AWAY])).toBe(0)
  expect(await beganInMinute([AWAY, ['planner', 'OK'], ['reviewer', 'MODEL_SILENT'], AWAY])).toBe(2)
  expect(await beganInMinute([AWAY, ['planner', 'OK']])).toBeNull()
})

test('an embedder that answers each time the turn goes on does not end it', async () => {
  const embedded: Call = ['embedder', 'OK']
  expect(await beganInMinute([embedded, AWAY, embedded, AWAY, embedded, AWAY])).toBe(1)
  expect(await beganInMinute([AWAY, ['paraphraser', 'OK'], AWAY])).toBe(0)
})

test('it begins neither with a failure that the turn goes on after, nor with a call that was cut off', async () => {
  expect(await beganInMinute([['embedder', 'MODEL_SILENT'], ['planner', 'CANCELLED'], AWAY])).toBe(2)
})
