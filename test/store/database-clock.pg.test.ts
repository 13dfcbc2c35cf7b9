/** The database's time, in a process whose machine sleeps, or has a wrong clock. */
import { expect, test } from 'vitest'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { DatabaseClock } from '../../src/store/connection/database-clock.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'

const HOUR_MS = 3_600_000

test('after its machine has slept a process reads the time as soon as it is asked for it, and says by how much it jumped', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'warn', pretty: false, to: { write: (line) => void lines.push(line) } })
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
      return new Promise((resolve) => {
        if (signal?.aborted === true) resolve()
        else signal?.addEventListener('abort', () => resolve())
      })
    },
  }
  const clock = await DatabaseClock.start({ database, clock: host, logger })
  await paused.promise
  sleptMs = 8 * HOUR_MS
  await expect.poll(() => Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(HOUR_MS)
  await expect.poll(() => lines.join('')).toContain("the database's time jumped, or this machine slept")
  const { jumpedMs } = JSON.parse(lines[0] ?? '') as { jumpedMs: number }
  expect(Math.abs(jumpedMs - 8 * HOUR_MS)).toBeLessThan(HOUR_MS)
  expect(lines).toHaveLength(1)
  await clock.stop()
  await database.close()
  await server.drop()
})

test('a wrong clock of the host is said once, and that it is right again', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'info', pretty: false, to: { write: (line) => void lines.push(line) } })
  const server = await createTestDatabase()
  const database = new Database({ url: server.url, maxConnections: 1, logger })
  let aheadMs = 0
  let polls = 0
  const host: Clock = {
    ...systemClock,
    now: () => new Date(systemClock.now().getTime() + aheadMs),
    sleep: (_ms, signal) => {
      polls++
      return systemClock.sleep(5, signal)
    },
  }
  const morePolls = async (): Promise<void> => {
    const before = polls
    await expect.poll(() => polls - before).toBeGreaterThan(3)
  }
  const clock = await DatabaseClock.start({ database, clock: host, logger })
  aheadMs = 2 * HOUR_MS
  await expect.poll(() => lines.join('')).toContain('the clock of this host differs from that of the database')
  await morePolls()
  aheadMs = 0
  await expect.poll(() => lines.join('')).toContain('the clock of this host is right again')
  await morePolls()
  expect(lines).toHaveLength(2)
  await clock.stop()
  await database.close()
  await server.drop()
})
