import { expect, test } from 'vitest'
import { DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS, shareConnections } from './process-connections.ts'

test('all are shared out, most to statements', () => {
  expect(shareConnections(FEWEST_CONNECTIONS)).toEqual({ statements: 4, jobs: 2, doorbell: 1, membership: 1 })
  expect(shareConnections(DEFAULT_CONNECTIONS)).toEqual({ statements: 12, jobs: 4, doorbell: 1, membership: 1 })
  expect(shareConnections(100)).toEqual({ statements: 94, jobs: 4, doorbell: 1, membership: 1 })
  for (let total = FEWEST_CONNECTIONS; total <= 60; total += 1) {
    const counts: readonly number[] = Object.values(shareConnections(total))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total)
  }
})
