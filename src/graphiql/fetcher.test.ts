import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventList } from './fetcher.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function shownBy(use: (list: EventList) => void): unknown[] {
  const shown: unknown[] = []
  use(new EventList((result) => shown.push(structuredClone(result))))
  return shown
}

test('every event is shown, the newest last, and not each by itself', () => {
  const shown = shownBy((list) => {
    list.add(1)
    list.add(2)
    vi.advanceTimersByTime(100)
    list.add(3)
    list.end(null)
    list.add(4)
    vi.advanceTimersByTime(1000)
  })
  expect(shown).toEqual([{ events: [1, 2] }, { events: [1, 2, 3] }])
})

test('why it ended stands below the events', () => {
  const shown = shownBy((list) => {
    list.add(1)
    list.end({ closed: '1001 bye' })
    list.end({ closed: 'again' })
  })
  expect(shown).toEqual([{ events: [1], closed: '1001 bye' }])
})

test('of very many the first are left out, and it says how many', () => {
  const [shown] = shownBy((list) => {
    for (let n = 1; n <= 1003; n++) list.add(n)
    list.end(null)
  }) as [{ earlierEventsLeftOut: number; events: number[] }]
  expect([shown.earlierEventsLeftOut, shown.events[0], shown.events.at(-1)]).toEqual([3, 4, 1003])
})
