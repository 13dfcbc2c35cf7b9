import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuseRanks } from './select-facts.ts'

const fused = (lists: readonly string[]): string =>
  fuseRanks(lists.map((list) => list.split('').map((id) => ({ id }))))
    .map(({ id }) => id)
    .join('')

test.each([
  [['abc'], 'abc'],
  [['abc', ''], 'abc'],
  [['abc', 'cxy'], 'cabxy'],
  [['abc', 'xyz'], 'axbycz'],
])('%j is %s', (lists, expected) => {
  expect(fused(lists)).toBe(expected)
})

test('whatever the lists: each once, and what stands before another one in all of them does so in the end', () => {
  const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')).map((ids) => ids.join(''))
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
      const all = fused(lists)
      const ids = [...new Set(lists.flatMap((one) => one.split('')))]
      expect(all.split('').toSorted()).toEqual(ids.toSorted())
      const isAhead = (one: string, other: string): boolean =>
        lists.every((of) => of.includes(one) && of.indexOf(one) < of.indexOf(other))
      const pairs = ids.flatMap((one) =>
        ids.filter((other) => isAhead(one, other)).map((other) => [one, other] as const),
      )
      for (const [one, other] of pairs) expect(all.indexOf(one)).toBeLessThan(all.indexOf(other))
    }),
  )
})
