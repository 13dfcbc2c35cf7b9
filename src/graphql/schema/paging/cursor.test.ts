import fc from 'fast-check'
import { GraphQLError } from 'graphql'
import { expect, test } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor.ts'

const seq = fc.integer({ min: 0, max: 2_147_483_647 })
const time = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })

test('a cursor leads back to its place', () => {
  fc.assert(
    fc.property(seq, (n) => {
      expect(decodeCursor('messages1', encodeCursor('messages1', [n]), 'after')).toEqual([n])
    }),
  )
  fc.assert(
    fc.property(time, fc.stringMatching(/^[a-zA-Z0-9_@.:-]{1,255}$/), (date, id) => {
      const cursor = encodeCursor('sessions1', [date.toISOString(), id])
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(decodeCursor('sessions1', cursor, 'after')).toEqual([date.toISOString(), id])
    }),
  )
})

test('anything else is BAD_USER_INPUT that names the argument', () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.array(fc.oneof(fc.constant('messages1'), fc.integer(), fc.string())).map(encode),
  )
  fc.assert(
    fc.property(forged, (cursor) => {
      const outcome = decoded(cursor)
      expect(isPlace(outcome) || isRefusal(outcome)).toBe(true)
    }),
  )
})

function isPlace(outcome: unknown): boolean {
  return Array.isArray(outcome) && outcome.length === 1 && Number.isInteger(outcome[0])
}

function isRefusal(outcome: unknown): boolean {
  return (
    outcome instanceof GraphQLError &&
    outcome.extensions['code'] === 'BAD_USER_INPUT' &&
    outcome.message.startsWith('"before" is not a cursor of this list.')
  )
}

function decoded(cursor: string): unknown {
  try {
    return decodeCursor('messages1', cursor, 'before')
  } catch (error) {
    return error
  }
}

test.each([
  ['of another list', encodeCursor('turns1', [1])],
  ['with more than it should', Buffer.from('["messages1",1,2]').toString('base64url')],
  ['beyond 31 bits', Buffer.from('["messages1",2147483648]').toString('base64url')],
  ['negative', Buffer.from('["messages1",-1]').toString('base64url')],
  ['endless', Buffer.from(`["messages1",${'['.repeat(2000)}`).toString('base64url')],
])('a cursor %s is refused', (_what, cursor) => {
  expect(() => decodeCursor('messages1', cursor, 'after')).toThrow('not a cursor of this list')
})

test('text that PostgreSQL cannot read is refused', () => {
  expect(() => decodeCursor('tasks1', encodeCursor('tasks1', ['\0']), 'after')).toThrow('not a cursor of this list')
})
