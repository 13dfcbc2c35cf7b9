import { expect, test } from 'vitest'
import { blocksOf } from './render-markdown.ts'

const KIB = 1024

test.each(['*a_', '_a', '__a', 'a_', ' '])(
  'a text of "%s" again and again, which keeps a parser busy, is not parsed',
  (part) => {
    const text = `x${part.repeat((30 * KIB) / part.length)}\n\nand this`
    expect(blocksOf(text)).toEqual([text])
  },
)

test('nor is one as long as a message may be', () => {
  const text = `${'a line of it\n'.repeat(19 * KIB)}\n\nand this`
  expect(blocksOf(text)).toEqual([text])
})

test('an answer of many paragraphs is', () => {
  const paragraph = `${'Words of an **answer**, with `code`, [links](https://example.com) and *emphasis*. '.repeat(12)}\n\n`
  expect(blocksOf(paragraph.repeat(32)).filter((block) => block.trim() !== '')).toHaveLength(32)
})
