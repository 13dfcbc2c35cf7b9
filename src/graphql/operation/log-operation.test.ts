import { buildSchema, getOperationAST, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import type { Viewer } from '../../core/identity.ts'
import { must } from '../../platform/must.ts'
import { accessClassOf, audienceOf, readLogOperation, type LogOperation } from './log-operation.ts'

const schema = buildSchema(`
  type Query { none: Int }
  type Subscription { events(sessionId: ID!, after: Int): Event, other: Int }
  type Event { seq: Int, page(after: Int): Int }
`)
const view = { admits: () => true, typeNameOf: () => 'Event', startsWithSnapshot: false }
must(schema.getSubscriptionType()?.getFields()['events'], 'the field').extensions = { logView: () => view }

function read(query: string, variables: Record<string, unknown> = {}): ReturnType<typeof readLogOperation> {
  const document = parse(query)
  const operation = must(getOperationAST(document), 'one operation')
  return readLogOperation(schema, { document, operation, operationName: null, variables })
}

function readLog(query: string, variables: Record<string, unknown> = {}): LogOperation {
  const read_ = read(query, variables)
  if (read_?.kind !== 'log') throw new Error(JSON.stringify(read_))
  return read_
}

const WITH_VARIABLES = 'subscription($id: ID!, $after: Int) { events(sessionId: $id, after: $after) { seq } }'

describe('readLogOperation', () => {
  test.each([
    ['subscription { events(sessionId: "s", after: 7) { seq } }', {}, 7],
    ['subscription { events(sessionId: "s") { seq } }', {}, null],
    [WITH_VARIABLES, { id: 's', after: 3 }, 3],
    [WITH_VARIABLES, { id: 's', after: null }, null],
    [WITH_VARIABLES, { id: 's' }, null],
    ['subscription($a: Int = 5) { events(sessionId: "s", after: $a) { seq } }', {}, 5],
    ['subscription { ...F } fragment F on Subscription { x: events(sessionId: "s", after: 1) { seq } }', {}, 1],
    ['subscription { ... on Subscription { ... { events(sessionId: "s", after: 2) { seq } } } }', {}, 2],
  ])('%s %j', (query, variables, after) => {
    expect(readLog(query, variables)).toMatchObject({ sessionId: 's', after, view })
  })

  test('refuses what cannot be a cursor or an id', () => {
    expect(read(WITH_VARIABLES, { id: 's', after: -1 })?.kind).toBe('refused')
    expect(read(WITH_VARIABLES, { id: 's', after: 'x' })?.kind).toBe('refused')
    expect(read(WITH_VARIABLES, {})?.kind).toBe('refused')
  })

  test('leaves other subscriptions alone', () => {
    expect(read('subscription { other }')).toBeNull()
  })
})

describe('who shares', () => {
  const keyOf = (query: string, variables: Record<string, unknown>): string => readLog(query, variables).shareKey

  test('subscribers that differ in the cursor alone', () => {
    expect(keyOf(WITH_VARIABLES, { id: 's', after: 1 })).toBe(keyOf(WITH_VARIABLES, { id: 's', after: 9 }))
    expect(keyOf(WITH_VARIABLES, { id: 's', after: 1 })).toBe(keyOf(WITH_VARIABLES, { id: 's' }))
    expect(keyOf(WITH_VARIABLES, { id: 's' })).not.toBe(keyOf(WITH_VARIABLES, { id: 't' }))
    expect(keyOf(WITH_VARIABLES, { id: 's' })).not.toBe(keyOf(`${WITH_VARIABLES} `, { id: 's' }))
  })

  test('not those whose cursor is used for something else as well', () => {
    const query = 'subscription($a: Int) { events(sessionId: "s", after: $a) { page(after: $a) } }'
    expect(keyOf(query, { a: 1 })).not.toBe(keyOf(query, { a: 2 }))
  })

  test('only viewers of the same class, which tells nothing about who they are', () => {
    const bob: Viewer = {
      tokenName: 'b',
      tokenKind: 'USER',
      namespace: null,
      user: { name: 'bob', role: 'USER' },
      role: 'USER',
    }
    const carol: Viewer = { ...bob, tokenName: 'c', user: { name: 'carol', role: 'USER' } }
    expect(accessClassOf(bob)).toEqual(accessClassOf(carol))
    expect(JSON.stringify(accessClassOf(bob))).not.toMatch(/bob|"b"/)
    const others: Viewer[] = [
      { ...bob, user: { name: 'bob', role: 'ADMIN' }, role: 'ADMIN' },
      { ...bob, namespace: 'discord' },
      { ...bob, tokenKind: 'CONNECTOR', user: null },
    ]
    for (const other of others) expect(accessClassOf(other)).not.toEqual(accessClassOf(bob))
    expect(audienceOf({ isPersonal: false }, bob)).toEqual(audienceOf({ isPersonal: false }, carol))
    expect(audienceOf({ isPersonal: true }, bob)).not.toEqual(audienceOf({ isPersonal: true }, carol))
  })
})
