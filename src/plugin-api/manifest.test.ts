import { expect, test } from 'vitest'
import { describePlugin } from './manifest.ts'

const plain = { name: 'dice', version: '1.0.0', api: 1, title: 'Dice', description: 'Rolls dice.' }

test('a type of events that does not exist is refused by its name', () => {
  expect(() => describePlugin({ ...plain, events: ['plan_created', 'turn_complete'] })).toThrow(
    /^events\.1: there is no event of type "turn_complete", but .*plan_created.*turn_completed$/,
  )
})

test('a hook that does not exist is refused by its name', () => {
  expect(() => describePlugin({ ...plain, hooks: { onTaskCompleted: () => undefined } })).toThrow(
    /^hooks\.0: there is no hook "onTaskCompleted", but .*onTaskComplete, /,
  )
})
