/** Writes that are recorded one after another, as one. */
import { expect, test } from 'vitest'
import { merge } from './turn-write.ts'

test('of two writes no list is lost, of what is there once the newer counts, and nothing is there that neither has', () => {
  const first = { events: [], step: 'PLANNING', factsShown: ['a'], questionsAsked: ['q'] } as const
  const second = { events: [], step: 'EXECUTING', factsShown: ['b'], factsUsed: ['b'] } as const
  expect(merge(first, second)).toEqual({
    events: [],
    step: 'EXECUTING',
    factsShown: ['a', 'b'],
    factsUsed: ['b'],
    questionsAsked: ['q'],
    tasks: [],
    taskPatches: new Map(),
  })
})
