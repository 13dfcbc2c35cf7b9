import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonKey } from '../../../test/harness/json-key.ts'
import { isMetadataObject, metadataChange, metadataIssues } from './session-metadata.ts'

const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels))

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', {}],
  ['16 levels', nested(16)],
  ['almost 16 KiB', { a: 'x'.repeat(16 * 1024 - 20) }],
])('%s is accepted', (_, metadata) => {
  expect(metadataIssues(metadata)).toEqual([])
})

test.each([
  ['text', 'x', /JSON object/],
  ['a list', [], /JSON object/],
  ['17 levels', nested(17), /16 levels/],
  ['5 000 levels', nested(5000), /16 levels/],
  ['16 KiB', { a: 'x'.repeat(16 * 1024) }, /16 KiB/],
  ['numbers that are long when written out', { a: Array.from({ length: 100 }, () => 1e308) }, /16 KiB/],
  ['NUL in a value', { a: ['b\0'] }, /NUL/],
  ['NUL in a key', { 'b\0': 1 }, /NUL/],
  ['broken Unicode', { a: { b: '\ud800' } }, /surrogate/],
])('%s is refused', (_, metadata, expected) => {
  expect(metadataIssues(metadata)).toMatchObject([{ path: ['metadata'], message: expect.stringMatching(expected) }])
})

test('a change sets every key but those given as null, which it drops', () => {
  const scalar = fc.jsonValue({ maxDepth: 0 })
  const value = fc.oneof(scalar, fc.array(scalar), fc.dictionary(jsonKey(fc.string()), scalar))
  fc.assert(
    fc.property(fc.dictionary(jsonKey(fc.string()), value), (metadata) => {
      const change = metadataChange(metadata)
      const set = JSON.parse(change.set) as unknown
      const expected = Object.entries(JSON.parse(JSON.stringify(metadata)) as object)
      expect(isMetadataObject(set) && Object.entries(set)).toEqual(expected.filter(([, value]) => value !== null))
      expect(change.drop).toEqual(expected.filter(([, value]) => value === null).map(([key]) => key))
    }),
  )
})
