/** The database's time, in a process whose machine sleeps. */
import { expect, test } from 'vitest'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { DatabaseClock } from '../../src/store/connection/database-clock.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'

const logger = createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', pretty: true })
const HOUR_MS = 3_600_000

test('after its machine has slept a process reads the time as soon as it is asked for it', async () => {
  const server = await createTestDatabase()
  const database = new Database({ url: server.url, maxConnections: 1, logger })
  let sleptMs = 0
  const paused = Promise.withResolvers<void>()
  const host: Clock = {
    ...systemClock,
    // As on Linux, it stands still meanwhile.
    monotonicMs: () => systemClock.monotonicMs() - sleptMs,
    // No pause between two polls ends by itself.
    sleep: (_ms, signal) => {
      paused.resolve()
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    },
  }
  const clock = await DatabaseClock.start({ database, clock: host, logger })
  await paused.promise
  sleptMs = 8 * HOUR_MS
  await expect.poll(() => Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(HOUR_MS)
  await clock.stop()
  await database.close()
  await server.drop()
})
