import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesTool, toolSourceOf, toolName } from './tool-name.ts'

describe('toolName', () => {
  test.each([
    ['weather', 'now', 'weather__now'],
    ['my-server', 'read_file', 'my-server__read_file'],
  ])('joins %s and %s', (source, tool, name) => {
    expect(toolName(source, tool)).toBe(name)
  })

  test.each([
    ['Weather', 'now'],
    ['weather', 'no w'],
    ['weather', ''],
    ['weather', '_now'],
    ['a__b', 'c'],
    ['weather', 'x'.repeat(56)],
  ])('has none for %s and %s', (source, tool) => {
    expect(toolName(source, tool)).toBeNull()
  })
})

test('the source of a tool is what stands before its name', () => {
  expect(['weather__now', 'a__b__c', 'exec', ''].map(toolSourceOf)).toEqual(['weather', 'a', '', ''])
})

describe('matchesTool', () => {
  test.each([
    ['*', 'a__b', true],
    ['a__*', 'a__b', true],
    ['a__*', 'ab__b', false],
    ['a__b', 'a__b', true],
    ['a__b', 'a__bc', false],
    ['*__read*', 'files__read_file', true],
    ['*a*a', 'xa', false],
    ['aa*a', 'aa', false],
  ])('%s names %s: %s', (pattern, name, matches) => {
    expect(matchesTool(pattern, name)).toBe(matches)
  })

  test('as a regular expression with the same meaning does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 8 })
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*'), maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (wanted, name) => {
        const meant = new RegExp(`^${wanted.replaceAll('*', '.*')}$`)
        expect(matchesTool(wanted, name)).toBe(meant.test(name))
      }),
    )
  })
})
