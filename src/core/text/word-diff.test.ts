import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDiff } from './word-diff.ts'

test('what changed is told by words', () => {
  expect(wordDiff('touch hello.txt', 'touch goodbye.txt')).toEqual([
    { kind: 'same', text: 'touch ' },
    { kind: 'removed', text: 'hello' },
    { kind: 'added', text: 'goodbye' },
    { kind: 'same', text: '.txt' },
  ])
})

test('equal texts have nothing but what is the same', () => {
  expect(wordDiff('as it was', 'as it was')).toEqual([{ kind: 'same', text: 'as it was' }])
  expect(wordDiff('', '')).toEqual([])
})

test('both texts can be read off the parts', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'cd', ' ', '\n', '.', 'é', '🙂'), { maxLength: 60 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = wordDiff(before, after)
      const of = (left: string): string =>
        parts
          .filter(({ kind }) => kind !== left)
          .map((part) => part.text)
          .join('')
      expect([of('added'), of('removed')]).toEqual([before, after])
    }),
  )
})

test('long texts take no long time', () => {
  const words = (offset: number): string => Array.from({ length: 20_000 }, (_, index) => `w${index + offset}`).join(' ')
  expect(wordDiff(`x ${words(0)}`, `y ${words(7)}`).length).toBeLessThan(10)
})
