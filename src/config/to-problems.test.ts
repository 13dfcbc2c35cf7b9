import { expect, test } from 'vitest'
import { fileSchema } from './schema/schema.ts'
import { toProblems } from './to-problems.ts'

/** Each place of the file that holds keys, with two of those that it knows. */
const PLACES: readonly (readonly [path: readonly string[], some: string])[] = [
  [['tokens', 'x'], 'sha256, token, '],
  [['users', 'x'], 'role, skills, '],
  [['providers', 'x'], 'base_url, '],
  [['models'], 'planner, reviewer, '],
  [['approvals'], 'default, own_user_may_decide, '],
  [['approvals', 'rules', '0'], 'effect, task, '],
  [['prices', 'a:b'], 'input, output, '],
  [['budgets'], 'user_tokens_per_day, user_cost_per_day, '],
  [['budgets', 'users', 'x'], 'tokens_per_day, cost_per_day'],
  [['quotas'], 'user_sessions, user_published_mib, '],
  [['quotas', 'users', 'x'], 'sessions, published_mib, '],
  [['retention'], 'events, outputs, '],
  [['curation'], ''],
  [['graphql'], 'plugins'],
  [['plugins'], 'packages'],
  [['mcp', 'x'], 'command, args, '],
  [['settings'], 'context_messages'],
]

const unknownAt = (path: readonly string[]): string =>
  toProblems({ code: 'unrecognized_keys', keys: ['zzzzzzzzzz'], path: [...path], message: '' })
    .map(({ text }) => text)
    .join()

test.each(PLACES)('an unknown key at %j is answered with those that are known there', (path, some) => {
  const text = unknownAt(path)
  expect(text).toMatch(/^is not a known key; known here: /)
  expect(text).toContain(some)
})

test('every section of the file is among these places, and is named where no section is known', () => {
  const sections = Object.keys(fileSchema(false).shape)
  expect(new Set(PLACES.map(([[section]]) => section))).toEqual(new Set(sections))
  expect(unknownAt([])).toBe(`is not a known key; known here: ${sections.join(', ')}`)
})
