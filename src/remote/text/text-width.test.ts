import { expect, test } from 'vitest'
import { textTable } from '../list-commands.ts'
import { textWidth } from './text-width.ts'

test.each([
  ['abc', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['\u001B[31mred\u001B[0m', 3],
  ['🙂', 2],
  ['✅ ❌ ⌚', 8],
  ['❤\uFE0F', 2],
  ['🇩🇪', 2],
  ['می\u200Cخواهم', 7],
  ['Donau\u00ADdampf', 11],
  ['at the end\r', 10],
])('%j takes %i columns', (text, columns) => {
  expect(textWidth(text)).toBe(columns)
})

test('columns are aligned, the last is cut, and nothing of a cell is obeyed', () => {
  const rows = [
    ['NAME', 'SAYS'],
    ['日本', 'a\nb\u001B[2J'],
    ['a', 'x'.repeat(30)],
  ]
  expect(textTable(rows, 20)).toBe('NAME  SAYS\n日本  a b\uFFFD[2J\na     xxxxxxxxxxxxx…')
  expect(textTable(rows, null)).toContain('x'.repeat(30))
})
