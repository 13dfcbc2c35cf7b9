import { expect, test } from 'vitest'
import { bearerToken } from './bearer-token.ts'

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Bearer ', null],
  ['Bearer a b', null],
  ['Bearer é', null],
  [`Bearer ${'x'.repeat(2000)}`, null],
  ['Basic abc', null],
  ['abc', null],
  [undefined, null],
  [{ toString: (): string => 'Bearer abc' }, null],
])('%s', (authorization, token) => {
  expect(bearerToken(authorization)).toBe(token)
})
