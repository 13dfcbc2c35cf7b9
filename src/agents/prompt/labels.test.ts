import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { idsNamed, labelItems, missedLabels, readLabel } from './labels.ts'

describe('labels', () => {
  test('are given in order', () => {
    expect([...labelItems('F', ['a', 'b'])]).toEqual([
      ['F1', 'a'],
      ['F2', 'b'],
    ])
  })

  test.each(['L2', ' l2 ', '[L2]', '(L2)', 'L2.', 'L2:'])('are read as a model may write them: "%s"', (text) => {
    expect(readLabel(text)).toBe('L2')
  })

  test('stand for ids, each once; unknown ones for none', () => {
    const items = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    expect(idsNamed('F', items, ['f3', '[F1]', 'F3', 'F9', 'Q2', 'b', ''])).toEqual(['a', 'c'])
    expect(idsNamed('F', [], ['F1'])).toEqual([])
  })

  test.each<[string[], string | null]>([
    [['L1', 'L2'], null],
    [['L2', 'L1'], null],
    [['L1'], 'not named: L2'],
    [['L1', 'L2', 'L2'], 'more than once: L2'],
    [['L1', 'L2', 'L3'], 'there is no L3'],
    [['L3', 'L3'], 'there is no L3; more than once: L3; not named: L1, L2'],
  ])('of two, %j: %s', (labels, problem) => {
    expect(missedLabels(['L1', 'L2'], labels)).toBe(problem)
  })

  test('are missed in a bounded number of words', () => {
    const labels = Array.from({ length: 10_000 }, (_, index) => `X${index}`.repeat(100))
    expect(missedLabels(['L1'], labels)?.length).toBeLessThan(400)
  })

  test('are not missed only when each is named once', () => {
    const label = fc.constantFrom('L1', 'L2', 'L3')
    fc.assert(
      fc.property(fc.array(label, { maxLength: 4 }), (labels) => {
        const isWhole = labels.toSorted().join() === 'L1,L2'
        expect(missedLabels(['L1', 'L2'], labels) === null).toBe(isWhole)
      }),
    )
  })
})
