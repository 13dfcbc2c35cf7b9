import fc from 'fast-check'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { packageFile } from '../platform/package-file.ts'
import { DELIVERY_SCHEDULE, outcomeOf } from './delivery-schedule.ts'
import type { PostResult } from './post.ts'

const answered = (statusCode: number, retryAfterMs: number | null = null): PostResult => ({
  kind: 'Answered',
  statusCode,
  retryAfterMs,
})
const LAST = 9
const failed: PostResult = { kind: 'Failed', error: 'nobody there', silent: false }
const HOUR = 3_600_000
const decide = (attempts: number, result: PostResult) =>
  outcomeOf(DELIVERY_SCHEDULE, { attempts, ageMs: HOUR, isAfterDead: false }, result)

test('again after 1, 3 and 9 s, then 1, 5 and 30 min, 2 and 8 h; then it is given up', () => {
  expect(decide(1, failed)).toEqual({ status: 'PENDING', statusCode: null, error: 'nobody there', waitMs: 1000 })
  const pauses = [1, 3, 9, 60, 300, 1800, 7200, 28_800]
  expect(pauses.map((_, index) => decide(index + 1, answered(500)).waitMs / 1000)).toEqual(pauses)
  expect(decide(LAST, answered(500))).toMatchObject({ status: 'DEAD', error: 'The webhook answered 500.' })
})

test.each(['docs/operations.md', 'examples/webhook-receiver/README.md'])('%s says so', async (page) => {
  const text = (await readFile(packageFile(page), 'utf8')).replaceAll(/\s+/g, ' ')
  expect(text).toMatch(/\bnine attempts, with pauses of 1, 3 and 9 s, 1, 5 and 30 min, 2 and 8 h, then/i)
})

describe('what a status means', () => {
  test.each([200, 201, 202, 204, 299])('%d: delivered', (code) =>
    expect(decide(3, answered(code))).toEqual({ status: 'DELIVERED', statusCode: code, error: null, waitMs: 0 }),
  )
  test.each([100, 301, 302, 307, 308, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504])('%d: again', (code) =>
    expect(decide(1, answered(code))).toMatchObject({ status: 'PENDING', statusCode: code, waitMs: 1000 }),
  )
  test('410: never again', () => expect(decide(1, answered(410))).toMatchObject({ status: 'DEAD', statusCode: 410 }))
})

describe('Retry-After', () => {
  test.each([
    [429, 20_000, 20_000],
    [503, 20_000, 20_000],
    [503, 3_600_000, 60_000],
    [503, 10, 1000],
    [500, 20_000, 1000],
  ])('with %d, %d ms: a pause of %d ms', (code, askedMs, waitMs) =>
    expect(decide(1, answered(code, askedMs))).toMatchObject({ status: 'PENDING', waitMs }),
  )
  test('makes no further attempt', () => expect(decide(LAST, answered(503, 1000))).toMatchObject({ status: 'DEAD' }))
})

describe('at a webhook that was given up with the text before', () => {
  const later = (ageMs: number, result: PostResult) =>
    outcomeOf(DELIVERY_SCHEDULE, { attempts: 1, ageMs, isAfterDead: true }, result)
  const error = 'The webhook answered 500. It had been given up with the text before.'

  test('a text is tried every two hours until it is three days old', () => {
    expect(later(0, answered(500))).toMatchObject({ status: 'PENDING', waitMs: 2 * HOUR, error })
    expect(later(72 * HOUR - 1, answered(500))).toMatchObject({ status: 'PENDING', waitMs: 2 * HOUR })
    expect(later(72 * HOUR, answered(500))).toMatchObject({ status: 'DEAD', error })
  })
  test('410 is the last word there, too', () => expect(later(0, answered(410))).toMatchObject({ status: 'DEAD' }))
  test('what it takes is delivered', () => expect(later(90 * HOUR, answered(200))).toMatchObject({ error: null }))
})

test('whatever is answered, it ends: after the last attempt nothing is pending', () => {
  const anything = fc.oneof(
    fc.constant(failed),
    fc.tuple(fc.integer({ min: 100, max: 599 }), fc.option(fc.nat())).map(([code, asked]) => answered(code, asked)),
  )
  fc.assert(
    fc.property(anything, (result) => {
      expect(decide(LAST, result).status).not.toBe('PENDING')
      expect(decide(1, result).waitMs).toBeLessThanOrEqual(60_000)
    }),
  )
})
