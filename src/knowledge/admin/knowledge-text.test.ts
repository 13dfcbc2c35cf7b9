import { expect, test } from 'vitest'
import { knowledgeTextIssues, MAX_TEXT_LENGTH } from './knowledge-text.ts'

test('a text that is too long is refused by its length, and not read', () => {
  const messages = (text: string): string[] => knowledgeTextIssues(['answer'], text).map(({ message }) => message)
  expect(messages('.'.repeat(MAX_TEXT_LENGTH))).toEqual(['must not be blank'])
  expect(messages('.'.repeat(MAX_TEXT_LENGTH + 1))).toEqual([expect.stringContaining(`at most ${MAX_TEXT_LENGTH}`)])
  expect(messages(`${'.'.repeat(1_000_000)}x`)).toEqual([expect.stringContaining(`at most ${MAX_TEXT_LENGTH}`)])
  expect(messages('The ferry has berth seven.')).toEqual([])
})
