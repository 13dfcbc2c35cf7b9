import { expect, test } from 'vitest'
import { isStorableJson } from './well-formed.ts'

test.each([
  [{ a: ['b', 1, true, null, { c: '😀' }] }, true],
  ['spelled \\u0000', true],
  ['a\0', false],
  [{ a: [{ b: '\ud800' }] }, false],
  [{ 'a\0': 1 }, false],
])('%j can be stored: %s', (value, expected) => {
  expect(isStorableJson(value)).toBe(expected)
})
