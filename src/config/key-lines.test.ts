import { expect, test } from 'vitest'
import { findKeyLines } from './key-lines.ts'

const lineOf = findKeyLines(`top = 1
# [comment]
[users.anna] # comment
role = "user"
aliases.discord = "Anna#1"
  "quoted key" = 1
inline = { a = 1, b = 2 }

[prices."open.router:x/y"]
'in.put' = "a = b"
[[list]]
first = 1
[[list]]
first = 2
`)

test.each([
  [['top'], 1],
  [['users', 'anna'], 3],
  [['users', 'anna', 'role'], 4],
  [['users', 'anna', 'aliases', 'discord'], 5],
  [['users', 'anna', 'aliases'], 5],
  [['users', 'anna', 'quoted key'], 6],
  [['prices', 'open.router:x/y', 'in.put'], 10],
  [['list', '0', 'first'], 12],
  [['list', '1', 'first'], 14],
  [['list', '1', 'second'], 13],
])('%j stands in line %i', (path, line) => {
  expect(lineOf(path)).toBe(line)
})

test('what is missing or inside an inline table is searched for where it would be', () => {
  expect(lineOf(['users', 'anna', 'skills'])).toBe(3)
  expect(lineOf(['users', 'anna', 'inline', 'b'])).toBe(7)
})

test('what is nowhere has no line', () => {
  expect([lineOf(['comment']), lineOf(['a']), lineOf([])]).toEqual([null, null, null])
})
