import { expect, test } from 'vitest'
import { durationMs } from './duration-ms.ts'

const [startedAt, finishedAt] = [new Date(1000), new Date(2500)]

test('from begin to end, once both are known', () => {
  expect(durationMs({ startedAt, finishedAt })).toBe(1500)
  expect(durationMs({ startedAt, finishedAt: null })).toBeNull()
  expect(durationMs({ startedAt: null, finishedAt })).toBeNull()
})

test('what took longer than an Int can say is shown as the longest that it can', () => {
  expect(durationMs({ startedAt, finishedAt: new Date(1000 + 30 * 86_400_000) })).toBe(2_147_483_647)
})

test('never negative: begin and end may come from two hosts', () => {
  expect(durationMs({ startedAt: finishedAt, finishedAt: startedAt })).toBe(0)
})
