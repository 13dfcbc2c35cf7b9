import { expect, test } from 'vitest'
import { judgeCalls } from './plugin-load.ts'

test('calls that keep their promise are passed over', () => {
  const calls = ['DONE', 'INTERRUPTED', 'INTERRUPTED', 'FAILED', 'CANCELLED'].map((status, n) => ({
    id: `${n}`,
    status,
  }))
  expect(judgeCalls(calls, ['0', '1'])).toEqual([])
})

test.each([
  [[{ id: 'a', status: 'DONE' }], ['a', 'a'], 'called twice for a'],
  [[{ id: 'a', status: 'INTERRUPTED' }], ['a', 'a'], 'called twice for a'],
  [[{ id: 'a', status: 'DONE' }], [], 'is done, and was not made'],
  [[{ id: 'a', status: 'FAILED' }], ['a'], 'has failed, and was made'],
  [[], ['a'], 'nothing tells of the call for a'],
])('%j with the marks %j is found', (calls, marks, finding) => {
  expect(judgeCalls(calls, marks)).toEqual([expect.stringContaining(finding)])
})
