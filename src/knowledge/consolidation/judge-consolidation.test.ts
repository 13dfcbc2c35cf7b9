import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import type { Consolidation } from '../../agents/agent.ts'
import { unfitText } from '../unfit-text.ts'
import { judgeConsolidation, type SeenFact } from './judge-consolidation.ts'
import { lostSubstance } from './lost-substance.ts'

const facts = (...contents: string[]): SeenFact[] =>
  contents.map((content, n) => ({ id: `fact_${n}`, content, version: n + 1 }))
const gateway = facts(
  'The gateway listens on port 8080.',
  'The gateway of Tove listens on port 8080.',
  'The gateway does not listen on port 80.',
)
const keep = (n: number): Consolidation => ({ operation: 'KEEP', factId: `fact_${n}` })
const drop = (n: number): Consolidation => ({ operation: 'DROP', factId: `fact_${n}`, reason: 'old' })
const merge = (ns: readonly number[], content: string): Consolidation => {
  return { operation: 'MERGE', factIds: ns.map((n) => `fact_${n}`), content }
}

describe('proposed', () => {
  test('what keeps all, with the facts as they were shown; what is kept is no step', () => {
    const content = 'The gateway of Tove listens on port 8080.'
    expect(judgeConsolidation(gateway, [merge([0, 1], content), keep(2)])).toEqual({
      steps: [{ operation: 'MERGE', facts: gateway.slice(0, 2), content, reason: null }],
      refused: [],
    })
  })

  test('a drop, while another fact is left', () => {
    expect(judgeConsolidation(gateway, [drop(0), keep(1), keep(2)])).toMatchObject({
      steps: [{ operation: 'DROP', content: null, reason: 'old' }],
    })
  })
})

describe('refused, and the rest is proposed', () => {
  test.each<[string, Consolidation[], RegExp]>([
    ['a number less', [merge([0, 1], 'The gateway of Tove listens on a port.')], /"8080" is lost/],
    ['a name more', [merge([0, 1], 'The gateway of Tove and Grace listens on port 8080.')], /"Grace" is not/],
    ['what is negated with what is not', [merge([1, 2], 'The gateway of Tove listens on 8080, not on 80.')], /negated/],
    ['all dropped', [drop(0), drop(1), drop(2)], /it leaves no fact/],
    ['a secret', [merge([0, 1], 'The gateway of Tove listens on 8080. The password is hunter2x.')], /secret/],
    ['nothing edited', [{ operation: 'EDIT', factId: 'fact_0', content: gateway[0]?.content ?? '' }], /edits nothing/],
  ])('%s', (_, consolidations, reason) => {
    const { steps, refused } = judgeConsolidation(gateway, consolidations)
    expect(steps).toEqual([])
    expect(refused[0]).toMatch(reason)
  })
})

test('whatever the model answers: no text that is proposed lost anything, and no group is emptied', () => {
  const words = ['the', 'gateway', 'of', 'Tove', 'listens', 'not', 'on', 'port', '8080', '80', 'only']
  const said = fc.array(fc.constantFrom(...words), { minLength: 3, maxLength: 10 }).map((one) => one.join(' '))
  const fates = fc.array(fc.constantFrom('keep', 'drop', 'edit', 'merge'), { minLength: 3, maxLength: 3 })
  fc.assert(
    fc.property(fates, said, (given, content) => {
      const merged = given.flatMap((fate, n) => (fate === 'merge' ? [n] : []))
      const answer = given.flatMap((fate, n): Consolidation[] => {
        if (fate === 'keep') return [keep(n)]
        if (fate === 'drop') return [drop(n)]
        return fate === 'edit' ? [{ operation: 'EDIT', factId: `fact_${n}`, content }] : []
      })
      const { steps } = judgeConsolidation(gateway, [...answer, ...(merged.length > 1 ? [merge(merged, content)] : [])])
      expect(steps.filter(({ operation }) => operation === 'DROP').length).toBeLessThan(gateway.length)
      for (const { facts: sources, content: text } of steps) {
        if (text === null) continue
        expect(unfitText(text)).toBeNull()
        expect(
          lostSubstance(
            sources.map((fact) => fact.content),
            text,
          ),
        ).toBeNull()
      }
    }),
    { numRuns: rounds(300, 10_000) },
  )
})
