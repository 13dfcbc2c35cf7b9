/** Which sessions the retention job checks: those that may have something to remove, and no others. */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { dueSessions, planNextCheck, rulesOf } from '../../src/store/retention/due-sessions.ts'
import { createTestDatabase } from '../harness/database.ts'

const NOW = new Date('2026-06-01T12:00:00.000Z')
const DAY_MS = 86_400_000
const inDays = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS)
const retention = { events: 30, outputs: 0, turns: 90, messages: 0, deliveries: 0, workspaces: 0 }

test('each is due when the oldest of what is left is old enough, and at the latest after the shortest of the times', async () => {
  await using temporary = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: temporary.url, maxConnections: 1, logger })
  const dueAt = (at: Date, rules = rulesOf(retention)) => dueSessions(database, { rules, at, limit: 10 })
  const planned = (at: Date) => planNextCheck(database, { ids: ['cli:old', 'cli:new', 'cli:stuck'], at, retention })
  await database.query(
    {
      name: 'sessions',
      text: `INSERT INTO sessions (id, source_kind, source_interactive)
        VALUES ('cli:old', 'cli', true), ('cli:new', 'cli', true), ('cli:stuck', 'cli', true)`,
    },
    [],
  )
  await database.query(
    {
      name: 'events',
      text: `INSERT INTO events (session_id, seq, at, type, data) VALUES ('cli:old', 1, $1, 'MessageReceived', '{}'),
        ('cli:old', 2, $2, 'PipelineStep', '{}'), ('cli:stuck', 1, $1, 'PipelineStep', '{}')`,
    },
    [inDays(-400), inDays(-20)],
  )

  expect((await dueAt(NOW)).toSorted()).toEqual(['cli:new', 'cli:old', 'cli:stuck'])
  await planned(NOW)
  expect(await dueAt(NOW)).toEqual([])
  // What stands in the way of removing may be gone soon.
  expect(await dueAt(inDays(1))).toEqual(['cli:stuck'])
  expect((await dueAt(inDays(10))).toSorted()).toEqual(['cli:old', 'cli:stuck'])
  expect((await dueAt(inDays(30))).toSorted()).toEqual(['cli:new', 'cli:old', 'cli:stuck'])

  const shorter = rulesOf({ ...retention, events: 10 })
  expect(await dueAt(NOW, shorter)).toHaveLength(3)
  await database.close()
})
