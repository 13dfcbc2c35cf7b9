/** The judge of delegated tasks finds what broke, and nothing else. */
import { expect, test } from 'vitest'
import { judgeDelegations, type FinalDelegation } from './delegations.ts'

const good: FinalDelegation = { id: 'd', status: 'DONE', closed: true, task_status: 'DONE', turns: 1, round: 1 }

test('one that has ended with its task is well', () => {
  expect(judgeDelegations([good, { ...good, status: 'FAILED', task_status: 'FAILED', turns: 0 }])).toEqual([])
})

test.each([
  ['not closed', { ...good, closed: false }],
  ['is RUNNING', { ...good, task_status: 'RUNNING' }],
  ['2 turns', { ...good, turns: 2 }],
])('%s', (finding, delegation) => {
  expect(judgeDelegations([delegation])).toEqual([expect.stringContaining(finding)])
})
