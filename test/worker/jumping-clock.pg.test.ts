/** The clock of PostgreSQL jumps: all last beats are old at once, and no node is evicted that goes on beating. */
import { hostname } from 'node:os'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { TIMING } from '../../src/config/timing.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { beat, registerNode } from '../../src/store/nodes.ts'
import { Database } from '../../src/store/database.ts'
import { Evictions } from '../../src/worker/evictions.ts'
import { createTestDatabase } from '../harness/database.ts'

test('a node is evicted that has not beaten while others watched', async () => {
  await using place = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: place.url, maxConnections: 1, logger })
  const connection = new Client({ connectionString: place.url })
  await connection.connect()
  const node = await registerNode(connection, { process: null, host: hostname(), version: '0.0.0' })
  const read = async (sql: string) => (await connection.query<Record<string, unknown>>(sql)).rows[0]
  const isEvicted = async () => (await read('SELECT evicted_at IS NOT NULL AS it FROM nodes'))?.['it']
  let passedMs = 0
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs }
  const evictions = new Evictions({ database, home: '/none', timing: TIMING, clock, logger })
  try {
    await evictions.poll(node + 1)
    await read(`UPDATE nodes SET seen_at = seen_at - interval '1 hour'`)
    await evictions.poll(node + 1)
    expect(await isEvicted()).toBe(false)
    expect(await beat(connection, node)).toBe(true)

    await read(`UPDATE nodes SET seen_at = seen_at - interval '1 hour'`)
    await evictions.poll(node + 1)
    passedMs += TIMING.silentMs
    await evictions.poll(node + 1)
    expect(await isEvicted()).toBe(true)
  } finally {
    await connection.end()
    await database.close()
  }
})
