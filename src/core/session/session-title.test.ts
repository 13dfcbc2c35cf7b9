import { describe, expect, test } from 'vitest'
import { titleOfMessage } from './session-title.ts'

describe('titleOfMessage', () => {
  test.each([
    ['Why is the build red?', 'Why is the build red?'],
    ['\n  \t\nWhy is   the build red?\nThe log says:\n…', 'Why is the build red?'],
    ['a'.repeat(80), 'a'.repeat(80)],
    ['a'.repeat(81), `${'a'.repeat(80)}…`],
    [`${'🙂'.repeat(79)} and more`, `${'🙂'.repeat(79)}…`],
    ['one\rtwo', 'one two'],
    ['', null],
    [' \n\u0000\n ', null],
  ])('of %j it is %j', (content, title) => {
    expect(titleOfMessage(content)).toBe(title)
  })
})
