import type { SessionEvent } from '@factotum/client'
import { expect, test } from 'vitest'
import { EMPTY_LOG, MOST_EVENTS, paused, resumed, withNew, withOlder, type LogState } from './log-state.ts'

/** From one seq to another, both of them there. */
function events(from: number, to: number): SessionEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index }) as SessionEvent)
}

function logOf(from: number, to: number): LogState {
  return { ...EMPTY_LOG, events: events(from, to), hasOlder: true }
}

test('older events go before the others', () => {
  const state = withOlder(logOf(101, 200), events(1, 100), false)
  expect(state).toEqual({ ...EMPTY_LOG, events: events(1, 200), hasOlder: false })
})

test('with more than it holds the oldest go, whichever came last', () => {
  const read = withOlder(logOf(1001, 1001 + MOST_EVENTS - 51), events(901, 1000), true)
  expect(read.events).toEqual(events(951, 950 + MOST_EVENTS))
  expect(read.hasOlder).toBe(false)
  const grown = withNew(read, events(951 + MOST_EVENTS, 960 + MOST_EVENTS))
  expect(grown.events).toEqual(events(961, 960 + MOST_EVENTS))
  expect(grown.hasOlder).toBe(false)
  expect(withOlder(grown, events(861, 960), true)).toEqual(grown)
})

test('while it is paused older events are shown, and new ones when it is resumed', () => {
  const stopped = withNew(paused(logOf(101, 200)), events(201, 203))
  expect(stopped.events).toEqual(events(101, 200))
  expect(stopped.held).toEqual(events(201, 203))
  const read = withOlder(stopped, events(1, 100), false)
  expect(read.events).toEqual(events(1, 200))
  expect(resumed(withNew(read, events(204, 204)))).toMatchObject({ events: events(1, 204), held: null })
})

test('what was held back is bounded, too', () => {
  const stopped = withNew(paused(logOf(1, 10)), events(11, 20 + MOST_EVENTS))
  expect(stopped.held).toHaveLength(MOST_EVENTS)
  expect(resumed(stopped).events).toEqual(events(21, 20 + MOST_EVENTS))
})
