import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { isStorable } from '../../platform/well-formed.ts'
import { completeArguments, MAX_ARGS_BYTES } from './skill-arguments.ts'
import type { SkillArgument, SkillArguments, SkillSummary } from './skill.ts'

const argument = (name: string, more: Partial<SkillArgument>): SkillArgument => ({
  name,
  type: 'string',
  required: false,
  default: null,
  description: '',
  ...more,
})
const skill: SkillSummary = {
  name: 'search',
  version: '1.0',
  summary: 'Searches.',
  secrets: [],
  args: [
    argument('query', { required: true }),
    argument('count', { type: 'int', default: 10 }),
    argument('weight', { type: 'float' }),
    argument('deep', { type: 'bool', default: false }),
  ],
}
const problemsOf = (text: string | null, of: SkillSummary = skill): readonly string[] => {
  const completed = completeArguments(of, text)
  return completed.kind === 'wrong' ? completed.problems : []
}

describe('completeArguments', () => {
  test('fills in defaults, and leaves out what has none', () => {
    expect(completeArguments(skill, '{"query":"cats"}')).toEqual({
      kind: 'complete',
      args: { query: 'cats', count: 10, deep: false },
    })
  })

  test('takes null for not given, and a whole number for a number', () => {
    expect(completeArguments(skill, '{"query":"cats","count":null,"weight":2,"deep":true}')).toEqual({
      kind: 'complete',
      args: { query: 'cats', count: 10, weight: 2, deep: true },
    })
  })

  test.each([null, '', ' \n', '{}'])('takes %j for no arguments', (text) => {
    expect(completeArguments({ ...skill, args: [] }, text)).toEqual({ kind: 'complete', args: {} })
  })

  test.each<[string, string, string]>([
    ['text', 'cats', 'its args are not valid JSON; they must be a JSON object, written as a string'],
    [
      'a list',
      '["cats"]',
      'its args are not a JSON object; they must be one, such as {} when the skill takes no arguments',
    ],
    ['null', 'null', 'its args are not a JSON object; they must be one, such as {} when the skill takes no arguments'],
    [
      'what is nested six levels deep',
      '{"query":[[[[[1]]]]]}',
      'its args are nested more than 5 levels deep; every argument is a string, a number, true or false',
    ],
    [
      'what is nested 10 000 levels deep',
      `{"query":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'its args are nested more than 5 levels deep; every argument is a string, a number, true or false',
    ],
    ['a list for a text', '{"query":[[[["x"]]]]}', 'the argument "query" must be a string, not a list'],
    ['an object for a text', '{"query":{}}', 'the argument "query" must be a string, not an object'],
    ['a text for a number', '{"query":"x","count":"3"}', 'the argument "count" must be a whole number, not a string'],
    [
      'a fraction for a whole number',
      '{"query":"x","count":1.5}',
      'the argument "count" must be a whole number, not a fraction',
    ],
    [
      'a huge whole number',
      '{"query":"x","count":1e300}',
      'the argument "count" must be a whole number, not one that large',
    ],
    ['infinity', '{"query":"x","weight":1e999}', 'the argument "weight" must be a number, not one that large'],
    [
      'true for a whole number',
      '{"query":"x","count":true}',
      'the argument "count" must be a whole number, not true or false',
    ],
    ['one for true', '{"query":"x","deep":1}', 'the argument "deep" must be true or false, not a number'],
    [
      'NUL',
      '{"query":"a\\u0000b"}',
      'the argument "query" contains a NUL character or a broken Unicode character; it must not',
    ],
    [
      'half a character',
      '{"query":"\\ud800"}',
      'the argument "query" contains a NUL character or a broken Unicode character; it must not',
    ],
    [
      '__proto__',
      '{"query":"x","__proto__":{"admin":true}}',
      'there is no argument "__proto__" (search takes: query, count, weight, deep)',
    ],
    [
      'constructor',
      '{"query":"x","constructor":1}',
      'there is no argument "constructor" (search takes: query, count, weight, deep)',
    ],
    ['nothing for a required one', '{}', 'the argument "query" is missing; it must be a string'],
  ])('refuses %s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  test('counts bytes', () => {
    const text = JSON.stringify({ query: 'ä'.repeat(MAX_ARGS_BYTES / 2) })
    expect(problemsOf(text)).toEqual([
      `its args are ${MAX_ARGS_BYTES + 12} bytes long; at most ${MAX_ARGS_BYTES} are allowed, so pass the name of a file instead`,
    ])
  })

  test('names a bounded number of unknown arguments, and none by the whole of a long name', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`a${index}${'x'.repeat(100)}`, 1]))
    const [problem] = problemsOf(JSON.stringify(many), { ...skill, args: [] })
    expect(problem).toMatch(/^there is no argument "a0x+", .* and 495 more \(search takes no arguments\)$/)
    expect(problem?.length).toBeLessThan(500)
  })

  const scalar = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]))
  const anyArguments = fc.dictionary(fc.constantFrom('query', 'count', 'weight', 'deep', 'more', '__proto__'), scalar)

  test('what is complete satisfies the schema, whatever is given; nothing throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyArguments.map((given) => JSON.stringify(given)),
          fc.string(),
          fc.json(),
        ),
        (text) => {
          const completed = completeArguments(skill, text)
          expect(completed.kind === 'wrong' ? completed.problems.length > 0 : isSound(completed.args)).toBe(true)
          const again =
            completed.kind === 'wrong' ? completed : completeArguments(skill, JSON.stringify(completed.args))
          expect(again).toEqual(completed)
        },
      ),
      { numRuns: rounds(600, 3000) },
    )
  })
})

function isSound({ query, count, weight, deep, ...rest }: SkillArguments): boolean {
  const hasTypes = Number.isSafeInteger(count) && (weight === undefined || Number.isFinite(weight))
  const isText = typeof query === 'string' && isStorable(query)
  return hasTypes && isText && typeof deep === 'boolean' && Object.keys(rest).length === 0
}
