import { describe, expect, test } from 'vitest'
import { readArguments } from './read-arguments.ts'

describe('readArguments', () => {
  test('takes an object, and nothing at all for none', () => {
    expect(readArguments('{"a": [1, {"b": null}]}')).toEqual({ a: [1, { b: null }] })
    expect(readArguments(' \n')).toEqual({})
  })

  test.each(['[1]', 'null', '"a"', '{"a": '])('takes no %s', (written) => {
    expect(readArguments(written)).toBeNull()
  })

  test('keeps nothing that PostgreSQL cannot store, in names of fields neither', () => {
    expect(readArguments('{"a\\u0000": ["\\ud800", "b\\u0000"]}')).toEqual({ 'a\uFFFD': ['\uFFFD', 'b\uFFFD'] })
  })

  test.each([
    [62, true],
    [64, false],
    [100_000, false],
  ])('of an object with lists %i levels deep: %s', (levels, isTaken) => {
    const found = readArguments(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    expect(found !== null).toBe(isTaken)
  })
})
