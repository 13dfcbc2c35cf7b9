/** What an import takes as an event can be served: whatever stands in it, no reader's subscription fails for it. */
import {
  execute,
  GraphQLObjectType,
  GraphQLSchema,
  assertInterfaceType,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  type GraphQLField,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import type { SessionEventBody } from '../../src/core/session-event.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { EVENT_DATA } from '../../src/transfer/event-data.ts'

const USAGE = { calls: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, cost: 0.5 }
const EVENTS: readonly SessionEventBody[] = [
  { type: 'MessageReceived', messageId: 'm' },
  { type: 'MessageUpdated', messageId: 'm' },
  { type: 'SessionUpdated', erased: true },
  { type: 'FileReceived', fileId: 'f' },
  { type: 'Plugin', plugin: 'p', name: 'n', json: '{}' },
  { type: 'PipelineStep', step: 'PLANNING', detail: 'd' },
  { type: 'PlanCreated', planId: 'p' },
  { type: 'TaskUpdate', taskId: 't', status: 'DONE' },
  { type: 'TaskOutput', taskId: 't', stream: 'STDOUT', text: 'x' },
  { type: 'TextDelta', taskId: 't', delta: 'x' },
  { type: 'TextCompleted', taskId: 't', content: 'x', final: true, attempt: 1, notice: true },
  { type: 'Thinking', thinkingId: 't', delta: 'x', content: 'x' },
  { type: 'TaskProgress', taskId: 't', done: 1, total: 2, message: 'x' },
  { type: 'Review', taskId: 't', verdict: 'OK', reason: 'x', learningId: 'l' },
  { type: 'Approval', approvalId: 'a' },
  { type: 'Delegation', delegationId: 'd' },
  { type: 'TurnPaused', reason: 'x', until: '2026-11-21T12:00:00.000Z' },
  { type: 'Checkpoint', reason: 'IDLE', ok: true, failure: 'x' },
  { type: 'TurnCompleted', status: 'DONE', commandsHandled: ['c'], durationMs: 5, usage: USAGE, failure: 'x' },
]

/** What a file that was changed by hand may hold in place of anything. */
const NUMBERS = [0.5, -1, -0.5, 2 ** 31, 2 ** 53, 1e300, Number.MAX_SAFE_INTEGER]
const TIMES = ['soon', '2026-02-30T00:00:00Z', '2026-11-21T12:00:00+02:00', '275760-09-14T00:00:00Z']
const DEEP = ['['.repeat(200_000) + ']'.repeat(200_000), '{"a":'.repeat(9000) + '1' + '}'.repeat(9000)]
const ODD: readonly unknown[] = [...NUMBERS, ...TIMES, ...DEEP, '', '1', null, true, false, [], {}, ['x', 'y']]

const schema = buildSchema()
const known = assertInterfaceType(schema.getType('SessionEvent'))
const served = new GraphQLSchema({
  ...schema.toConfig(),
  subscription: null,
  mutation: null,
  query: new GraphQLObjectType({
    name: 'OneEvent',
    fields: { event: { type: known, resolve: (event: unknown) => event } },
  }),
})

/** What of a type comes from the event itself, without a read. */
function selection({ name, type }: GraphQLField<unknown, unknown>, under: string): string {
  const named = getNamedType(type)
  const alias = `${under}_${name}: ${name}`
  if (isLeafType(named)) return alias
  if (!isObjectType(named) || !['Usage', 'Money'].includes(named.name)) return ''
  const inner = Object.values(named.getFields()).map((field) => selection(field, named.name))
  return `${alias} { ${inner.join(' ')} }`
}

const parts = schema.getPossibleTypes(known).map((type) => {
  const fields = Object.values(type.getFields()).map((field) => selection(field, type.name))
  return `... on ${type.name} { ${fields.join(' ')} }`
})
const document = parse(`{ event { ${parts.join(' ')} } }`)

/** What a reader of everything is answered, as it is sent. */
async function serve(body: object): Promise<{ readonly errors?: readonly unknown[] }> {
  const event = { seq: 1, at: new Date(0), sessionId: 'web:1', turnId: 'turn', ...body }
  const contextValue = {
    viewer: { role: 'ADMIN', tokenName: 't', tokenKind: 'USER', namespace: null, user: { name: 'ada', role: 'ADMIN' } },
    config: { current: () => ({ settings: { currency: null } }) },
  }
  return JSON.parse(
    JSON.stringify(await execute({ schema: served, document, rootValue: event, contextValue })),
  ) as object
}

/** The same with something odd in each place in turn. */
function* changed(value: object): Generator<object> {
  for (const [key, part] of Object.entries(value)) {
    for (const odd of ODD) yield { ...value, [key]: odd }
    if (typeof part === 'object' && part !== null && !Array.isArray(part))
      for (const inner of changed(part as object)) yield { ...value, [key]: inner }
  }
}

describe('an event whose data an import takes', () => {
  test('there is an example of each type', () => {
    expect(EVENTS.map(({ type }) => type).toSorted()).toEqual(Object.keys(EVENT_DATA).toSorted())
    expect(document.definitions[0]?.kind).toBe(Kind.OPERATION_DEFINITION)
  })

  test.each(EVENTS)('is served: $type', async ({ type, ...data }) => {
    expect(await serve({ type, ...EVENT_DATA[type].parse(data) })).not.toHaveProperty('errors')
    for (const odd of changed(data)) {
      const { success, data: taken } = EVENT_DATA[type].safeParse(odd)
      if (!success) continue
      const answer = await serve({ type, ...taken }).catch((error: unknown) => ({ errors: [String(error)] }))
      expect({ odd, ...answer }).not.toHaveProperty('errors')
    }
  })
})
