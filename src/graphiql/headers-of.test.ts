import { expect, test } from 'vitest'
import { hasToken, headersOf } from './headers-of.ts'

test.each([
  ['{"Authorization": "Bearer fct_1"}', true],
  ['{ "authorization":"bearer fct_1 ", "x": 1 }', true],
  ['{ "Authorization": "Bearer <token>" }', false],
  ['{ "Authorization": "Bearer " }', false],
  ['{ "x": "Bearer fct_1" }', false],
])('%s', (text, expected) => {
  expect(hasToken(headersOf(text) ?? {})).toBe(expected)
})

test.each(['', '{', '[]', 'null', '"Bearer"', '{ "Authorization": "Bearer fct'])('%s cannot be sent', (text) => {
  expect(headersOf(text)).toBeNull()
})
