import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallCollector, MAX_CALLS, MAX_WRITTEN_CHARS, TooManyCalls } from './collect-calls.ts'

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** How a provider numbers and names pieces; each of these has been seen. */
interface Style {
  readonly index: 'own' | 'zero' | 'none'
  readonly id: 'own' | 'each-piece' | 'same' | 'none'
  readonly repeatsName: boolean
}

const name = fc.constantFrom('exec', 'weather__now', 'mail__send')
const call: fc.Arbitrary<Call> = fc.record({
  name,
  args: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.integer(), fc.string({ unit: 'grapheme' }))),
})
const style: fc.Arbitrary<Style> = fc.record({
  index: fc.constantFrom('own', 'zero', 'none'),
  id: fc.constantFrom('own', 'each-piece', 'same', 'none'),
  repeatsName: fc.boolean(),
})

function piecesOf(calls: readonly Call[], cuts: readonly number[], { index, id, repeatsName }: Style): object[] {
  return calls.flatMap(({ name: called, args }, number) => {
    const written = JSON.stringify(args)
    const at = 1 + ((cuts[number] ?? 0) % written.length)
    return [written.slice(0, at), written.slice(at)]
      .filter((part) => part !== '')
      .map((part, piece) => ({
        ...(index === 'none' ? {} : { index: index === 'own' ? number : 0 }),
        ...(id === 'none' ? {} : { id: id === 'own' ? `c${number}` : id === 'same' ? 'c' : `c${number}-${piece}` }),
        function: { ...(piece === 0 || repeatsName ? { name: called } : {}), arguments: part },
      }))
  })
}

function collect(pieces: readonly unknown[]) {
  const collector = new CallCollector()
  for (const piece of pieces) collector.add(piece)
  return collector.end()
}

describe('CallCollector', () => {
  test('finds the calls in their pieces, however a provider numbers them', () => {
    fc.assert(
      fc.property(
        fc.array(call, { maxLength: 5 }),
        fc.array(fc.nat(), { minLength: 5, maxLength: 5 }),
        style.filter(({ id, repeatsName }) => !(id === 'each-piece' && repeatsName)),
        (calls, cuts, how) => {
          const found = collect(piecesOf(calls, cuts, how))
          expect(found.map(({ name: called, args }) => ({ name: called, args }))).toEqual(calls)
          expect(new Set(found.map(({ id }) => id)).size).toBe(calls.length)
        },
      ),
    )
  })

  test('takes arguments that are an object, and none at all for {}', () => {
    expect(collect([{ function: { name: 'a', arguments: { n: 1 } } }, { function: { name: 'b' } }])).toMatchObject([
      { name: 'a', args: { n: 1 } },
      { name: 'b', args: {} },
    ])
  })

  test('says when arguments are cut off or no object, and keeps what was written', () => {
    const call = (written: string) => collect([{ function: { name: 'a', arguments: written } }])[0]
    expect(call('{"to": "an')).toMatchObject({ args: null, written: '{"to": "an' })
    expect(call('[1]')).toMatchObject({ args: null })
    expect(call('null')).toMatchObject({ args: null })
  })

  test('keeps nothing that cannot be stored', () => {
    const [found] = collect([{ function: { name: 'a\u0000', arguments: '{"a\\u0000":["\\ud800"]}' } }])
    expect(found).toMatchObject({ name: 'a\uFFFD', args: { 'a\uFFFD': ['\uFFFD'] } })
    for (const id of ['call\u0000', 'call\ud800'])
      expect(collect([{ id, function: { name: 'a' } }])).toMatchObject([{ id: expect.stringMatching(/^[0-9a-f]{9}$/) }])
  })

  test('loses no call over an id or an index of another kind', () => {
    const calls = collect([
      { index: '0', id: 7, function: { name: 'a', arguments: '{}' } },
      { index: '1', id: 8, function: { name: 'b', arguments: [1] } },
    ])
    expect(calls).toMatchObject([
      { name: 'a', args: {} },
      { name: 'b', args: null, written: '[1]' },
    ])
  })

  test('leaves out what is no call', () => {
    expect(collect([null, 'a', 1, { function: 7 }])).toEqual([])
  })

  test('gives up beyond so many calls, and so much', () => {
    const many = Array.from({ length: MAX_CALLS + 1 }, (_, index) => ({ index, function: { name: 'a' } }))
    expect(() => collect(many)).toThrow(TooManyCalls)
    expect(() => collect([{ function: { name: 'a', arguments: 'x'.repeat(MAX_WRITTEN_CHARS + 1) } }])).toThrow(
      TooManyCalls,
    )
  })
})
