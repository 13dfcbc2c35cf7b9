import { expect, test } from 'vitest'
import * as z from 'zod'
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

const greet = { description: 'Greets.', arguments: z.object({ name: z.string() }), run: () => 'hi' }

test.each<[string, object, string]>([
  [
    'a description',
    { tools: { greet: { ...greet, description: undefined } } },
    'tools.greet.description: Invalid input',
  ],
  ['an effect', { tools: { greet: { ...greet, effect: 'read' } } }, 'tools.greet.effect: Invalid option'],
  [
    'arguments',
    { tools: { greet: { ...greet, arguments: { type: 'object' } } } },
    'tools.greet.arguments: must be made by',
  ],
  ['no arguments', { tools: { greet: { ...greet, arguments: undefined } } }, 'tools.greet.arguments: must be made by'],
  ['settings', { settings: { sides: 6 } }, 'settings: must be made by z.object({ … })'],
  ['what runs a tool', { tools: { greet: { ...greet, run: undefined } } }, 'tools.greet.run: must be a function'],
  [
    'what runs a command',
    { commands: { hello: { description: 'Greets.' } } },
    'commands.hello.run: must be a function',
  ],
  [
    'what opens a runtime',
    { runtimes: { agent: { description: 'Is one.' } } },
    'runtimes.agent.open: must be a function',
  ],
])('%s that is wrong is named as it is written', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})
