import { expect, test } from 'vitest'
import { costOf } from './cost.ts'

const price = { input: 0.5, output: 2, cached: 0.1 }

test('prices are per million tokens, cached input has its own', () => {
  expect(costOf(price, { inputTokens: 1_000_000, outputTokens: 500_000, cachedTokens: 400_000 })).toBeCloseTo(
    0.3 + 0.04 + 1,
    10,
  )
})

test('a call that spent nothing costs nothing', () => {
  expect(costOf(price, { inputTokens: 0, outputTokens: 0, cachedTokens: 0 })).toBe(0)
})

test('without a price the cost is unknown, not zero', () => {
  expect(costOf(undefined, { inputTokens: 10, outputTokens: 10, cachedTokens: 0 })).toBeNull()
})

test('no call earns money, whatever its counts say', () => {
  expect(costOf(price, { inputTokens: 0, outputTokens: 0, cachedTokens: 1_000_000 })).toBeCloseTo(0.1, 10)
})
