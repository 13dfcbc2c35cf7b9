import { expect, test } from 'vitest'
import { compareSchemas, declaresBreaking } from '../../scripts/schema-changes.ts'

const LAST = `
  type Query { session(id: ID!): Session, list(first: Int): [Session!]! }
  type Session { id: ID! status: Status! }
  type Gone { id: ID! }
  union Entry = Session
  enum Status { IDLE RUNNING }
  input Send { text: String }
`

test.each([
  ['status: Status!', '', 'Session.status'],
  ['status: Status!', 'status: String!', 'Session.status'],
  ['status: Status!', 'status: Status', 'Session.status'],
  ['type Gone { id: ID! }', '', 'Gone'],
  ['IDLE RUNNING', 'IDLE', 'RUNNING'],
  ['text: String', 'text: String!', 'Send.text'],
  ['text: String', 'text: String, session: ID!', 'Send.session'],
  ['list(first: Int)', 'list(first: Int, of: ID!)', 'list'],
])('"%s" → "%s" breaks', (was, is, named) => {
  const { breaking } = compareSchemas(LAST, LAST.replace(was, is))
  expect(breaking).toHaveLength(1)
  expect(breaking[0]).toContain(named)
})

test.each([
  ['status: Status!', 'status: Status!, title: String'],
  ['IDLE RUNNING', 'IDLE RUNNING INACTIVE'],
  ['text: String', 'text: String, to: ID'],
  ['list(first: Int)', 'list(first: Int, last: Int)'],
  ['union Entry = Session', 'union Entry = Session | Gone'],
])('"%s" → "%s" does not', (was, is) => {
  const { breaking, others } = compareSchemas(LAST, LAST.replace(was, is))
  expect(breaking).toEqual([])
  expect(others).toHaveLength(1)
})

test('what breaks must stand in the changelog', () => {
  expect(declaresBreaking('# Changelog\n\n## Unreleased\n\n### Breaking\n\n- Gone is gone.\n')).toBe(true)
  expect(
    declaresBreaking('# Changelog\n\n## Unreleased\n\n### Added\n\n- More.\n\n## 1.0\n\n### Breaking\n\n- x\n'),
  ).toBe(false)
  expect(declaresBreaking('# Changelog\n')).toBe(false)
})
