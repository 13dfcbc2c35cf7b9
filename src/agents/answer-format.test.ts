import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonKey } from '../../test/harness/json-key.ts'
import { rounds } from '../../test/harness/rounds.ts'
import * as z from 'zod'
import { findJsonObject, jsonFormat, MAX_ANSWER_CHARS } from './answer-format.ts'

const schema = z.strictObject({ name: z.string(), size: z.number().nullable() })
const format = jsonFormat('thing', schema)

const confusing = fc.string({ unit: fc.constantFrom('{', '}', '[', '"', '\\', '\n', 'a', 'é', '😀') })

describe('findJsonObject', () => {
  test.each([
    ['plain', '{"a":1}'],
    ['with a byte order mark', '\uFEFF{"a":1}'],
    ['in a code fence', '```json\n{"a":1}\n```'],
    ['with prose around it', 'Here is the plan:\n{"a":1}\nI hope it helps {truly}.'],
    ['behind braces that begin none', 'Of {name}, in ${HOME}, or { so on:\n{"a":1}'],
    ['that ends its lines', '{\n  "a": 1\n}'],
  ])('finds an object %s', (_, text) => {
    expect(findJsonObject(text)).toEqual({ kind: 'usable', value: { a: 1 } })
  })

  test('is not misled by braces and quotes in strings', () => {
    fc.assert(
      fc.property(fc.dictionary(jsonKey(confusing), confusing, { maxKeys: 4 }), (value) => {
        const found = findJsonObject(`some words ${JSON.stringify(value)} more }]`)
        expect(found.kind === 'usable' && JSON.stringify(found.value)).toBe(JSON.stringify(value))
      }),
    )
  })

  test('never throws, whatever the text', () => {
    const text = fc
      .array(fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', '1', 'null', '\uD800', '\0'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (any) => {
        expect(['usable', 'unusable']).toContain(findJsonObject(any).kind)
      }),
      { numRuns: rounds(400, 2000) },
    )
  })

  test.each([
    ['nothing', '', 'The answer contains no JSON object.'],
    ['an array', '[1, 2]', 'The answer contains no JSON object.'],
    ['half an object', '{"a": [1', 'The JSON object is not complete: the answer ends before its closing brace.'],
    ['half a string', '{"a": "b\\"', 'The JSON object is not complete: the answer ends before its closing brace.'],
    ['an abyss', '{"a":'.repeat(30_000), 'The JSON is nested more than 16 levels deep.'],
    [
      'a flood',
      `{"a":"${'x'.repeat(MAX_ANSWER_CHARS)}"}`,
      'The answer is 262152 characters long; at most 262144 are read.',
    ],
  ])('refuses %s', (_, text, problem) => {
    expect(findJsonObject(text)).toEqual({ kind: 'unusable', problem })
  })

  test('quotes nothing of what cannot be parsed: the problem is logged, and a secret may stand in it', () => {
    for (const text of ['{"a": hush-hush-1}', `{"a":"${'y'.repeat(99)}","b": hush-1,"c":"${'z'.repeat(99)}"}`])
      expect(findJsonObject(text)).toEqual({
        kind: 'unusable',
        problem: "The JSON cannot be parsed: Unexpected token 'h' is not valid there.",
      })
  })

  test('says why JSON cannot be parsed', () => {
    expect(findJsonObject('{a: 1}')).toMatchObject({
      kind: 'unusable',
      problem: expect.stringMatching(/^The JSON cannot be parsed: /),
    })
  })
})

describe('jsonFormat', () => {
  test('gives the provider a strict schema: every property required, null where optional, nothing else allowed', () => {
    expect(format.schema).toEqual({
      name: 'thing',
      json: {
        type: 'object',
        properties: { name: { type: 'string' }, size: { type: ['number', 'null'] } },
        required: ['name', 'size'],
        additionalProperties: false,
      },
    })
  })

  test('makes a value of what satisfies it', () => {
    expect(format.parse('{"name":"box","size":null}')).toEqual({ kind: 'usable', value: { name: 'box', size: null } })
  })

  test('names what does not', () => {
    expect(format.parse('{"name":1,"colour":"red"}')).toEqual({
      kind: 'unusable',
      problem:
        'The JSON is not of the asked-for shape. name: Invalid input: expected string, received number; ' +
        'size: Invalid input: expected number, received undefined; The whole: Unrecognized key: "colour".',
    })
  })

  test('takes nothing from __proto__ or constructor', () => {
    expect(format.parse('{"name":"box","size":1,"__proto__":{"admin":true}}').kind).toBe('unusable')
    expect(format.parse('{"name":"box","size":1,"constructor":{"prototype":{"admin":true}}}').kind).toBe('unusable')
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})
