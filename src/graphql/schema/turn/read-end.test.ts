/** The last bytes of a text, in whole characters. */
import { expect, test } from 'vitest'
import { endOf } from './read-end.ts'

test.each([
  ['hello', 3, 'llo'],
  ['hello', 99, 'hello'],
  ['aäö', 3, 'ö'],
  ['aäö', 4, 'äö'],
  ['x😀', 3, ''],
  ['x😀', 4, '😀'],
])('the end of %j in %i bytes is %j', (text, bytes, end) => {
  expect(endOf(text, bytes)).toBe(end)
})
