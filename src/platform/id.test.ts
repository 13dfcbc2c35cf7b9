import { afterEach, expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { newId, sharedId, takeTimeOfIds, timeOfId } from './id.ts'

afterEach(() => takeTimeOfIds(systemClock))

/** Of a clock that stands at these times, one after the other. */
function idsAt(...times: readonly number[]): string[] {
  return times.map((ms) => {
    takeTimeOfIds({ now: () => new Date(ms) })
    return newId('message')
  })
}

const HOUR_MS = 3_600_000

test('new ids sort as they were made, by the clock that was given, whatever that of the host says', () => {
  const later = Date.now() + 50 * HOUR_MS
  const ids = idsAt(later, later, later + 1, later - 80, later + 2, later + HOUR_MS)
  expect(ids.toSorted()).toEqual(ids)
  const inSameMs = sharedId('message', { at: new Date(later), withinMs: 1, seed: '' })
  expect(ids[0]?.slice(0, 13)).toBe(inSameMs.slice(0, 13))
})

test('more than fit into a millisecond sort as they were made, too', () => {
  const ids = idsAt(...Array<number>(10_000).fill(Date.now() + 200 * HOUR_MS))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('a clock that was far ahead and is set right is followed', () => {
  const [ahead = '', right = ''] = idsAt(Date.now() + 900 * HOUR_MS, Date.now() + 300 * HOUR_MS)
  expect(right < ahead).toBe(true)
})

test('an id says when it was made', () => {
  const at = new Date('2026-11-21T12:34:56.789Z')
  const id = sharedId('message', { at, withinMs: 1, seed: '' })
  expect(timeOfId(id.slice('msg_'.length))).toEqual(at)
})
