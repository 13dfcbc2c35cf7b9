import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../test/harness/rounds.ts'
import type { Consolidation } from '../agents/agent.ts'
import { unfitText } from './unfit-text.ts'
import { judgeConsolidation, type BatchFact } from './judge-consolidation.ts'

const facts = (count: number): BatchFact[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `fact_${n}`,
    content: `Server ${n} stands in rack ${n}.`,
    version: 1,
  }))
const ids = (from: number, to: number): string[] =>
  facts(to)
    .slice(from)
    .map(({ id }) => id)
const keep = (factId: string): Consolidation => ({ operation: 'KEEP', factId })
const drop = (factId: string): Consolidation => ({ operation: 'DROP', factId, reason: 'old' })
const merge = (factIds: readonly string[], content = 'They stand in racks.'): Consolidation => ({
  operation: 'MERGE',
  factIds,
  content,
})

describe('accepted', () => {
  test('fewer entries, not below 30 %; what is kept is no change', () => {
    const changes = [merge(ids(0, 7)), { operation: 'EDIT', factId: 'fact_7', content: 'Server 7: rack 7.' } as const]
    const verdict = judgeConsolidation(facts(10), [...changes, ...ids(8, 10).map(keep)])
    expect(verdict).toEqual({ kind: 'Accepted', changes })
  })

  test('all kept', () => {
    expect(judgeConsolidation(facts(3), ids(0, 3).map(keep))).toEqual({ kind: 'Accepted', changes: [] })
  })
})

describe('refused', () => {
  test.each<[string, Consolidation[], RegExp]>([
    ['nothing left', ids(0, 10).map(drop), /leaves no fact/],
    ['too few left', [...ids(0, 8).map(drop), ...ids(8, 10).map(keep)], /2 of 10 facts, less than 30 %/],
    ['all in one', [merge(ids(0, 10))], /1 of 10/],
    ['longer', [merge(ids(0, 2), 'x y z '.repeat(80).trim()), ...ids(2, 10).map(keep)], /longer/],
    ['twins', [merge(ids(0, 2)), merge(ids(2, 4), '**They** stand in racks'), ...ids(4, 10).map(keep)], /say the same/],
    ['one forgotten', ids(0, 9).map(keep), /each fact exactly once/],
    ['one twice', [...ids(0, 9).map(keep), keep('fact_0')], /each fact exactly once/],
    ['one unknown', [...ids(0, 9).map(keep), keep('fact_99')], /each fact exactly once/],
    ['a secret', [merge(ids(0, 2), 'The password is hunter2x.'), ...ids(2, 10).map(keep)], /secret/],
    ['empty', [], /each fact exactly once/],
  ])('%s', (_, consolidations, reason) => {
    expect(judgeConsolidation(facts(10), consolidations)).toMatchObject({
      kind: 'Refused',
      reason: expect.stringMatching(reason) as string,
    })
  })

  test('whatever the model answers, what is accepted leaves 30 % and is not longer', () => {
    const fates = fc.array(fc.constantFrom('keep', 'drop', 'first', 'second'), { minLength: 10, maxLength: 10 })
    const text = fc.string({ minLength: 8, maxLength: 200 })
    fc.assert(
      fc.property(fates, text, (fates, content) => {
        const of = (fate: string): string[] => ids(0, 10).filter((_, n) => fates[n] === fate)
        const merges = [of('first'), of('second')]
          .filter((group) => group.length > 0)
          .map((group, n) => merge(group, `${n} ${content}`))
        const verdict = judgeConsolidation(facts(10), [...of('keep').map(keep), ...of('drop').map(drop), ...merges])
        const left = of('keep').length + merges.length
        const length = merges.length * (content.length + 2) + of('keep').length * (facts(1)[0]?.content.length ?? 0)
        const allowed = left >= 3 && length <= 10 * (facts(1)[0]?.content.length ?? 0)
        expect(verdict.kind === 'Accepted').toBe(
          allowed && merges.every((_, n) => unfitText(`${n} ${content}`) === null),
        )
      }),
      { numRuns: rounds(200, 1000) },
    )
  })
})
