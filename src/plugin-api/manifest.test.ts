import { expect, test } from 'vitest'
import * as z from 'zod'
import { describePlugin } from './manifest.ts'
import { secret } from './plugin.ts'

const plain = { name: 'dice', version: '1.0.0', api: 1, title: 'Dice', description: 'Rolls dice.' }

test('a type of events that does not exist is refused by its name', () => {
  expect(() => describePlugin({ ...plain, events: ['plan_created', 'turn_complete'] })).toThrow(
    /^events\.1: there is no event of type "turn_complete", but .*plan_created.*turn_completed$/,
  )
})

test.each<[string, object, string]>([
  ['another interface, whose keys are not known here', { api: 2, widgets: {} }, 'api: must be 1'],
  [
    'a hook for events without events',
    { hooks: { onBroadcast: () => undefined } },
    'events: names none, so hooks.onBroadcast',
  ],
])('%s is named', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})

test('a definition that does not say its interface is asked for that', () => {
  expect(() => describePlugin({ name: 'dice', version: '1.0.0' })).toThrow('api: must be 1')
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

test.each<[string, object, string]>([
  [
    'a hook',
    { hooks: { onMesage: () => undefined } },
    'hooks.onMesage: there is no such hook (did you mean "onMessage"?), but onPipelineStart, onMessage, ',
  ],
  [
    'a part',
    { tool: { greet } },
    'tool: there is no such key (did you mean "tools"?), but name, version, api, title, description, settings, ',
  ],
  [
    'a key of a tool',
    { tools: { greet: { ...greet, arguements: greet.arguments } } },
    'tools.greet.arguements: there is no such key (did you mean "arguments"?), but description, effect, ',
  ],
  [
    'a key of a command',
    { commands: { hello: { description: 'Greets.', fromModels: true, run: () => true } } },
    'commands.hello.fromModels: there is no such key (did you mean "fromModel"?)',
  ],
  [
    'a key of a runtime',
    { runtimes: { agent: { description: 'Is one.', open: () => null, colour: 'red' } } },
    'runtimes.agent.colour: there is no such key, but description, open',
  ],
])('%s that does not exist is refused with its place and the nearest one', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})

test.each<[string, object, string]>([
  ['its description', { description: 'Rolls\0dice.' }, 'description: must not hold NUL characters or halves of'],
  ['its version', { version: '1.0\ud800' }, 'version: must not hold NUL characters or halves of surrogate pairs'],
  [
    'the schema of a tool',
    { tools: { greet: { ...greet, arguments: z.object({ name: z.string().describe('\0') }) } } },
    'tools: must not hold NUL characters or halves of surrogate pairs',
  ],
])('%s that no database stores is refused', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})

test('all keys that do not exist are named at once', () => {
  const wrong = { ...plain, tool: {}, hooks: { onMesage: () => undefined } }
  expect(() => describePlugin(wrong)).toThrow(/^tool: there is no such key .*; hooks\.onMesage: there is no such hook/)
})

test('an instance of a class may keep fields of its own', () => {
  class Greeter {
    readonly description = 'Greets.'
    readonly arguments = greet.arguments
    readonly greeted = new Set<string>()
    readonly run = ({ name }: { readonly name: string }): string => (this.greeted.add(name), 'hi')
  }
  expect(describePlugin({ ...plain, tools: { greet: new Greeter() } }).tools).toMatchObject([{ name: 'greet' }])
})

test.each<[string, object, string]>([
  ['a hook', { hooks: { onMessage: 'hi' } }, 'hooks.onMessage: must be a function'],
  ['start', { start: true }, 'start: must be a function'],
  ['the tools', { tools: null }, 'tools: must be an object'],
  ['a tool', { tools: { greet: null } }, 'tools.greet: must be an object'],
])('%s of the wrong kind is named as it is written', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})

class Place {
  readonly town = 'Ulm'
}
const node = z.object({
  get next(): z.ZodOptional<z.ZodObject> {
    return z.optional(node)
  },
  at: z.date(),
})

test.each<[string, z.ZodType, string]>([
  ['a date', z.date(), ': JSON carries no date; write z.iso.datetime() or z.iso.date(), a text'],
  ['a date that may be left out', z.date().min(new Date(0)).optional(), ': JSON carries no date'],
  ['a date that is read on', z.date().transform((date) => date.getTime()), ': JSON carries no date'],
  ['a bigint', z.bigint(), ': JSON carries no bigint; write z.int(), or z.string() for what is larger'],
  ['a map', z.map(z.string(), z.string()), ': JSON carries no map; write z.record(z.string(), …)'],
  ['a set', z.set(z.string()).nullable(), ': JSON carries no set; write z.array(…)'],
  ['undefined', z.undefined(), ': JSON carries no undefined; write .optional() behind what it may be, or nothing'],
  ['an instance of a class', z.instanceof(Place), ': JSON carries no instance of Place; write z.string() or'],
  ['a literal', z.literal(7n), ': JSON carries no bigint; write a text, a number, true, false or null'],
  ['dates in a list', z.array(z.object({ day: z.date() })), '[].day: JSON carries no date'],
  ['dates by name', z.record(z.string(), z.date()), '[…]: JSON carries no date'],
  ['a date in a pair', z.tuple([z.string(), z.date()]), '[1]: JSON carries no date'],
  ['either a date or a set', z.union([z.date(), z.set(z.string())]), ': JSON carries no date'],
  ['what holds itself', node, '.at: JSON carries no date'],
])('%s that JSON cannot carry is refused where it is asked for', (_what, when, problem) => {
  const remind = { ...greet, arguments: z.object({ when }) }
  expect(() => describePlugin({ ...plain, tools: { remind } })).toThrow(`tools.remind.arguments.when${problem}`)
  expect(() => describePlugin({ ...plain, settings: remind.arguments })).toThrow(`settings.when${problem}`)
})

test.each<[string, z.ZodType]>([
  ['a date made of a text', z.coerce.date()],
  ['a date made of a text by a function', z.preprocess((text) => new Date(String(text)), z.date())],
  ['a text that becomes a date', z.iso.datetime().transform((text) => new Date(text))],
  ['a text or a date', z.union([z.string(), z.date()])],
  ['a text or undefined', z.string().or(z.undefined())],
  ['anything', z.unknown()],
  ['some literals', z.literal(['a', undefined])],
])('%s can be an argument', (_what, when) => {
  const remind = { ...greet, arguments: z.object({ when }) }
  expect(describePlugin({ ...plain, tools: { remind } }).tools).toMatchObject([{ name: 'remind' }])
})

test('a tool whose name is too long for models is refused, and not left out', () => {
  const tools = { ['t'.repeat(48)]: greet }
  expect(describePlugin({ ...plain, name: 'p'.repeat(14), tools }).tools).toHaveLength(1)
  expect(() => describePlugin({ ...plain, name: 'p'.repeat(15), tools })).toThrow(
    /^tools\.t{48}: "p{15}__t{48}" has 65 characters, and a model takes 64: shorten it$/,
  )
})

test.each<[string, object, string]>([
  ['a tool', { tools: { 'say hello': greet } }, 'tools.say hello.name: must be letters, digits, "_" and "-"'],
  [
    'a runtime',
    { runtimes: { Agent: { description: 'Is one.', open: () => null } } },
    'runtimes.Agent.name: must be lower-case letters, digits and "-"',
  ],
])('how %s may be named is said in words', (_what, part, problem) => {
  expect(() => describePlugin({ ...plain, ...part })).toThrow(problem)
})

test('a setting holds a secret however it is wrapped', () => {
  const settings = z.object({
    key: secret('Opens it.'),
    spare: secret('Opens it, too.').nullable().default(null),
    other: secret('Opens it, too.').optional().readonly(),
    city: z.string().nullish(),
  })
  expect(describePlugin({ ...plain, settings }).secretSettings).toEqual(['key', 'spare', 'other'])
})
