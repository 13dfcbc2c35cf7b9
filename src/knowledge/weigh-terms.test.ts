import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aboveFloor, mayBeFound, namesIn, rarity, weighTerms, type SaidTerm } from './weigh-terms.ts'

const said = (term: string, facts: number, more: Partial<SaidTerm> = {}): SaidTerm => ({
  text: 0,
  word: 1,
  term,
  isWhole: true,
  facts,
  ...more,
})
const weigh = (terms: readonly SaidTerm[]): [string, number, number][] =>
  weighTerms({ said: terms, near: [], total: 100, names: new Set<string>() }).map(({ term, word, weight }) => [
    term,
    word,
    weight,
  ])
/** A weight is rounded, so that sums of them are exact. */
const about = (weight: number): unknown => expect.closeTo(weight, 5)

describe('a term', () => {
  test('weighs the more the fewer facts have it', () => {
    const terms = [said('rare', 1), said('common', 50, { word: 2 })]
    expect(weigh(terms)).toEqual([
      ['rare', 0, about(rarity(1, 100))],
      ['common', 1, about(rarity(50, 100))],
    ])
  })

  test('weighs less when it was said before, and counts once', () => {
    const before = weigh([said('port', 3, { text: 1 })])
    expect(before[0]?.[2]).toBeLessThan(rarity(3, 100))
    expect(weigh([said('port', 3), said('port', 3, { text: 1 })])).toEqual([['port', 0, about(rarity(3, 100))]])
  })

  test('and its stem are one word', () => {
    const words = weigh([said('deployed', 2), said('deploy', 5, { isWhole: false })]).map(([, word]) => word)
    expect(new Set(words).size).toBe(1)
  })

  test('that no fact has weighs by what looks like it', () => {
    const near = [{ written: 'srver', term: 'server', similarity: 0.5, facts: 4 }]
    expect(weighTerms({ said: [said('srver', 0)], near, total: 100, names: new Set<string>() })).toEqual([
      { term: 'server', word: 0, weight: about(0.5 * rarity(4, 100)), facts: 4 },
    ])
  })
})

test('names begin with a capital letter, and no sentence', () => {
  expect([...namesIn(['Where is the Ärger service of Aurora? It runs, Karl says. What now?'])]).toEqual([
    'arger',
    'aurora',
    'karl',
  ])
  expect(namesIn([''])).toEqual(new Set())
})

test('facts with the same words score the same, in whichever order their weights are added', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(counts, (facts) => {
      const weights = weigh(facts.map((count, word) => said(`word ${word}`, count, { word }))).map((one) => one[2])
      const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
      expect(sum(weights)).toBe(sum(weights.toReversed()))
    }),
  )
})

test('a name weighs more', () => {
  const terms = weighTerms({ said: [said('aurora', 4)], near: [], total: 100, names: new Set(['aurora']) })
  expect(terms[0]?.weight).toBeGreaterThan(rarity(4, 100))
})

describe('what counts as found', () => {
  const size = { total: 1000, maxCount: 20 }

  test('not what shares only common words, unless there are few facts', () => {
    const found = [{ content: 'The server.', score: rarity(900, 1000) }]
    expect(aboveFloor(found, size)).toEqual([])
    expect(aboveFloor(found, { total: 20, maxCount: 20 })).toHaveLength(1)
  })

  test('always the best first, and never one without those that are better', () => {
    const facts = fc.array(fc.record({ content: fc.string(), score: fc.double({ min: 0, max: 50, noNaN: true }) }))
    fc.assert(
      fc.property(facts, (found) => {
        const scores = aboveFloor(found, size).map(({ score }) => score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
        expect(scores.length).toBeLessThanOrEqual(found.length)
      }),
    )
  })

  test('nothing, where all terms are common: no fact need be read', () => {
    const common = [{ term: 'hi', word: 0, weight: rarity(1000, 1000), facts: 1000 }]
    expect(mayBeFound(common, size)).toBe(false)
    expect(mayBeFound([...common, { term: 'port', word: 1, weight: rarity(3, 1000), facts: 3 }], size)).toBe(true)
    expect(mayBeFound(common, { total: 20, maxCount: 20 })).toBe(true)
    expect(mayBeFound([], size)).toBe(false)
  })

  test('no fact that would be found is left unread', () => {
    const term = fc.record({ term: fc.string(), word: fc.nat(5), facts: fc.integer({ min: 1, max: 1000 }) })
    fc.assert(
      fc.property(fc.array(term), fc.string(), (drawn, content) => {
        const terms = drawn.map((one) => ({ ...one, weight: rarity(one.facts, size.total) }))
        // A fact that has them all: of each word the heaviest term counts.
        const weightOf = new Map(
          terms.toSorted((a, b) => a.weight - b.weight).map(({ word, weight }) => [word, weight]),
        )
        const score = weightOf.values().reduce((sum, weight) => sum + weight, 0)
        const isFound = score > 0 && aboveFloor([{ content, score }], size).length > 0
        expect(isFound && !mayBeFound(terms, size)).toBe(false)
      }),
    )
  })
})
