import { expect, test } from 'vitest'
import { REDACTED } from '../core/text/redacted.ts'
import { redactJson } from './redact-json.ts'
import { Redactor } from './redaction.ts'

const SECRET = 'open-sesame-42'
const redactor = Redactor.of([SECRET])

test('hides texts however deep, and names of fields', () => {
  expect(redactJson({ [SECRET]: { id: [SECRET, 1, null, true] } }, redactor)).toEqual({
    [REDACTED]: { id: [REDACTED, 1, null, true] },
  })
})

test('gives the same object back when there is nothing to hide', () => {
  const value = { a: [{ b: 'c', at: new Date(0) }], d: null }
  expect(redactJson(value, redactor)).toBe(value)
  expect(redactJson(value, Redactor.none)).toBe(value)
})

test('makes no prototype of a field that is called like one', () => {
  const value: unknown = JSON.parse(`{"__proto__": {"admin": "${SECRET}"}}`)
  const redacted = redactJson(value, redactor) as Record<string, unknown>
  expect(redacted['admin']).toBeUndefined()
  expect(JSON.stringify(redacted)).toBe(`{"__proto__":{"admin":"${REDACTED}"}}`)
})
