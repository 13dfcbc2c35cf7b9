import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lostSubstance } from '../consolidation/lost-substance.ts'
import { COUNTING } from './counting-words.ts'
import { missingIn } from './named-substance.ts'
import { otherSubstance } from './other-substance.ts'

/** In each way that people write it. */
function waysToWrite(number: number): string[] {
  const groups = (mark: string): string => String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, mark)
  const spelt = COUNTING.flatMap((words) => words[number - 1] ?? [])
  return [String(number), ...[',', '.', ' ', "'", '\u202f'].map(groups), ...spelt]
}

const number = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 99_999_999 }))
const written = number.chain((value) => {
  const ways = waysToWrite(value)
  return fc.record({ value: fc.constant(value), one: fc.constantFrom(...ways), other: fc.constantFrom(...ways) })
})
const say = (limit: string): string => `The limit of the shop is set at ${limit} rows`

describe('one rule for what is promoted and what is merged', () => {
  test('a number is kept in whichever way it is written', () => {
    fc.assert(
      fc.property(written, ({ one, other }) => {
        expect(otherSubstance(say(one), say(other))).toBeNull()
        expect(lostSubstance([say(one)], say(other))).toBeNull()
      }),
    )
  })

  test('and another number is another one, for both', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 99_999_999 }), fc.integer({ min: 2, max: 99_999_999 }), (value, other) => {
        fc.pre(value !== other)
        for (const one of waysToWrite(value).filter((way) => /^\d/.test(way)))
          for (const instead of waysToWrite(other).filter((way) => /^\d/.test(way))) {
            // "12 345" may be two numbers.
            if (one.startsWith(instead) || instead.startsWith(one)) continue
            expect([one, instead, otherSubstance(say(one), say(instead))]).toEqual([one, instead, expect.any(String)])
            expect([one, instead, lostSubstance([say(one)], say(instead))]).toEqual([one, instead, expect.any(String)])
          }
      }),
      { numRuns: 50, examples: [[99_999_998, 99_998_998]] },
    )
  })

  test('both find the same names and numbers lacking, each in its direction', () => {
    const word = fc.constantFrom('gateway', 'Grace', '8080', '3.12', '10.000', 'seven', 'Tove', 'of', 'sieben', '443')
    const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => `so is ${words.join(' of ')}`)
    fc.assert(
      fc.property(sentence, sentence, (source, text) => {
        const lacks = missingIn(text, source)
        expect(lacks === null || lostSubstance([source], text) === `"${lacks}" is lost`).toBe(true)
        const adds = missingIn(source, text)
        expect(adds === null || otherSubstance(source, text) === `"${adds}" is not in what was learned`).toBe(true)
      }),
    )
  })
})

test.each([
  ['The gateway runs 3.12.2.', 'The gateway runs 3.12.', null],
  ['The limit is 10.000 rows.', 'The limit is 10 rows.', '10'],
  ['The ports are 80 443.', 'The ports are 443 and 80.', null],
  ['Backups are kept for ten days.', 'Backups are kept for seven days.', 'seven'],
  ['That is the one that runs.', 'That is the one that runs, once.', null],
])('%s has all of: %s (%s)', (known, text, missing) => {
  expect(missingIn(known, text)).toBe(missing)
})
