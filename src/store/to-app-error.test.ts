import { expect, test } from 'vitest'
import { AppError } from '../core/errors.ts'
import { toAppError } from './to-app-error.ts'

function codeOf(error: object): string {
  const mapped = toAppError(error)
  return mapped instanceof AppError ? `${mapped.code} ${mapped.retry}` : 'as it is'
}

test.each(['08006', '25006', '40001', '40P01', '53200', '53300', '53400', '57014', '57P01', '58030', 'ECONNRESET'])(
  '%s may be over when it is tried again: a turn that meets it is continued, not failed',
  (code) => {
    expect(codeOf(Object.assign(new Error('from pg'), { code }))).toBe('DATABASE_UNAVAILABLE backoff')
  },
)

test('a column that a newer version has taken away is there for that version, or this one after an upgrade', () => {
  expect(codeOf(Object.assign(new Error('from pg'), { code: '42703' }))).toBe('DATABASE_UNAVAILABLE backoff')
})

test('a full disk has a name of its own', () => {
  expect(codeOf(Object.assign(new Error('from pg'), { code: '53100' }))).toBe('STORAGE_FULL backoff')
})

test.each(['22P05', '23505', '42P01', 'P0001'])('%s is a bug, and stays what it is', (code) => {
  expect(codeOf(Object.assign(new Error('connection terminated'), { code }))).toBe('as it is')
})

test('what pg says without a code is read from its words', () => {
  expect(codeOf(new Error('Query read timeout'))).toBe('DATABASE_UNAVAILABLE backoff')
  expect(codeOf(new Error('cannot read properties of undefined'))).toBe('as it is')
})
