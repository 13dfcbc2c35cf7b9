import { expect, test } from 'vitest'
import type { HeardOf } from '../../events/notification.ts'
import { RateLimit, type RateLimitOptions } from './rate-limit.ts'

/** Processes that hear each other, whose time is moved by hand. */
function stage() {
  let nowMs = 0
  let perMinute = 60
  const timers: (() => void)[] = []
  const handlers = new Set<(heard: HeardOf<'spent'>) => void>()
  const doorbell: RateLimitOptions['doorbell'] = {
    ring: (notification) => {
      if (notification.kind === 'spent') for (const handler of handlers) handler(notification)
    },
    on: (_kind, handler) => {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  }
  const clock = {
    monotonicMs: () => nowMs,
    after: (_ms: number, action: () => void) => {
      timers.push(action)
      return () => undefined
    },
  }
  return {
    join: (): RateLimit => {
      const limit = new RateLimit({ clock, doorbell, logger: { warn: () => undefined }, perMinute: () => perMinute })
      limit.start()
      return limit
    },
    at: (ms: number) => void (nowMs = ms),
    setPerMinute: (count: number) => void (perMinute = count),
    sendAll: () => timers.splice(0).forEach((send) => send()),
  }
}

const takeAll = (limit: RateLimit, count: number, token = 'a'): void => {
  for (let n = 0; n < count; n += 1) expect(limit.take(token)).toBe(0)
}

test('a minute may come at once, then one trickles in at a time; tokens do not share', () => {
  const { join, at, setPerMinute } = stage()
  const limit = join()
  takeAll(limit, 60)
  expect(limit.take('a')).toBe(1000)
  expect(limit.take('b')).toBe(0)
  at(400)
  expect(limit.take('a')).toBe(600)
  at(1000)
  expect(limit.take('a')).toBe(0)
  expect(limit.take('a')).toBe(1000)
  at(3_600_000)
  takeAll(limit, 60)
  expect(limit.take('a')).toBe(1000)
  // A changed configuration holds from the next operation on.
  setPerMinute(6000)
  at(3_600_010)
  expect(limit.take('a')).toBe(0)
})

test('what costs more than 100 counts as one for each 100; what follows waits for them, by however much there is', () => {
  const { join, at, setPerMinute, sendAll } = stage()
  const [here, there] = [join(), join()]
  const takeFor = (cost: number): number => {
    const waitMs = here.take('a')
    if (waitMs === 0) here.takeCost('a', cost)
    return waitMs
  }
  for (const cost of [0, 1, 100]) expect(takeFor(cost)).toBe(0)
  expect(takeFor(100.1)).toBe(0)
  expect(takeFor(5000)).toBe(0)
  takeAll(here, 5)
  expect(here.take('a')).toBe(1000)
  sendAll()
  expect(there.take('a')).toBe(1000)
  // One that costs more than a minute's worth is let in all the same, and all of it is made up for.
  setPerMinute(20)
  at(60_000)
  expect(takeFor(5000)).toBe(0)
  expect(here.take('a')).toBe(93_000)
})

test('what comes in at one process is taken off at all; what came in at several at once is made up for', () => {
  const { join, at, sendAll } = stage()
  const [here, there] = [join(), join()]
  takeAll(here, 40)
  sendAll()
  takeAll(there, 20)
  sendAll()
  expect(here.take('a')).toBe(1000)
  expect(there.take('a')).toBe(1000)
  expect(there.take('b')).toBe(0)

  at(60_000)
  takeAll(here, 60)
  takeAll(there, 60)
  sendAll()
  expect(here.take('a')).toBe(61_000)
  at(120_000)
  expect(there.take('a')).toBe(1000)
  at(121_000)
  expect(there.take('a')).toBe(0)
})
