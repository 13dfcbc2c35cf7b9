import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../clock.ts'
import { createLogger } from '../logger.ts'
import { Periodic } from './periodic.ts'

class Outage extends Error {}

/** A clock whose sleeps end when the test says so. */
class HeldClock implements Clock {
  readonly sleeps: { readonly ms: number; readonly end: () => void }[] = []
  now = () => new Date(0)
  monotonicMs = () => 0
  after = () => () => undefined

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      this.sleeps.push({ ms, end: resolve })
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  get pauses(): number[] {
    return this.sleeps.map(({ ms }) => ms)
  }
}

function periodic(tick: (signal: AbortSignal) => Promise<'again' | void>) {
  const clock = new HeldClock()
  const lines: { readonly level: number; readonly msg: string }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as { level: number; msg: string })
  const logger = createLogger({ level: 'trace', pretty: false, to: { write } })
  const isOutage = (error: unknown): boolean => error instanceof Outage
  return { clock, lines, poll: new Periodic({ name: 'test poll', everyMs: 500, tick, isOutage, clock, logger }) }
}

describe('a poll', () => {
  test('ticks at once, then after each pause', async () => {
    let ticks = 0
    const { clock, poll } = periodic(async () => void (ticks += 1))
    poll.start()
    for (const expected of [1, 2, 3]) {
      await expect.poll(() => clock.sleeps.length).toBe(expected)
      expect(ticks).toBe(expected)
      clock.sleeps[expected - 1]?.end()
    }
    await poll.stop()
    expect(clock.pauses.slice(0, 3)).toEqual([500, 500, 500])
  })

  test('does not pause while there is more to do', async () => {
    let left = 3
    const { clock, poll } = periodic(async () => ((left -= 1) > 0 ? 'again' : undefined))
    poll.start()
    await expect.poll(() => clock.sleeps.length).toBe(1)
    expect(left).toBe(0)
    await poll.stop()
  })

  test('retries after growing pauses, and logs the first outage in a row and every bug', async () => {
    const away = new Outage('away', { cause: new Error('connect ECONNREFUSED') })
    const outcomes = [away, new Outage('away'), new TypeError('bug'), null, new Outage('away')]
    let ticks = 0
    const { clock, lines, poll } = periodic(async () => {
      const error = outcomes[ticks]
      ticks += 1
      if (error != null) throw error
    })
    poll.start()
    for (let n = 1; n <= outcomes.length; n += 1) {
      await expect.poll(() => clock.sleeps.length).toBe(n)
      clock.sleeps[n - 1]?.end()
    }
    await poll.stop()
    const [first = 0, second = 0, third = 0, ok] = clock.pauses
    expect([first >= 500 && first <= 1000, second >= 1000 && second <= 2000, third >= 2000]).toEqual([true, true, true])
    expect(ok).toBe(500)
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      '40 test poll failed; retrying',
      '50 test poll failed; retrying',
      '30 test poll works again',
      '40 test poll failed; retrying',
    ])
    expect(lines[0]).toMatchObject({ error: 'away (connect ECONNREFUSED)' })
  })

  test('a wake does not shorten the pause after a failure', async () => {
    let ticks = 0
    const { clock, poll } = periodic(async () => {
      ticks += 1
      throw new Outage('away')
    })
    poll.start()
    await expect.poll(() => clock.sleeps.length).toBe(1)
    poll.wake()
    await Promise.resolve()
    expect(ticks).toBe(1)
    await poll.stop()
  })

  test('stop aborts the tick that is under way and waits for its end', async () => {
    let ended = false
    const { poll } = periodic(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      ended = true
    })
    poll.start()
    await poll.stop()
    expect(ended).toBe(true)
  })
})

test('whatever the order of wakes, pauses, ticks and failures: one tick at a time, and one after each wake', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom('wake', 'pause', 'tick'), { maxLength: 15 }), check),
  )

  async function check(scheduler: fc.Scheduler, steps: readonly ('wake' | 'pause' | 'tick')[]): Promise<void> {
    let running = 0
    let began = 0
    const { clock, poll } = periodic(async () => {
      running += 1
      began += 1
      expect(running).toBe(1)
      await scheduler.schedule(Promise.resolve(), 'tick ends')
      running -= 1
      if (began % 4 === 0) throw new Outage('away')
    })
    poll.start()
    for (const step of steps) {
      await scheduler.waitFor(scheduler.schedule(Promise.resolve(), step))
      const before = began
      if (step === 'pause') clock.sleeps.at(-1)?.end()
      if (step === 'wake') poll.wake()
      if (step === 'tick') await scheduler.waitFor(poll.tick())
      expect(began).toBeGreaterThanOrEqual(step === 'tick' ? before + 1 : before)
    }
    const before = began
    clock.sleeps.at(-1)?.end()
    poll.wake()
    await scheduler.waitFor(poll.tick())
    expect(began).toBeGreaterThan(before)
    const stopped = poll.stop()
    await scheduler.waitAll()
    await stopped
    expect(running).toBe(0)
  }
})
