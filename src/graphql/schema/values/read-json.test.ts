import fc from 'fast-check'
import { parseConstValue } from 'graphql'
import { expect, test } from 'vitest'
import { readJson, readJsonLiteral } from './read-json.ts'

test('JSON comes through as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      expect(readJson(value)).toBe(value)
    }),
  )
})

test('a literal means the same as the variable', () => {
  const literal = '{ a: [1, -2.5, 1e3, true, null, "x", WORD], b: {}, __proto__: { admin: true } }'
  const value = readJsonLiteral(parseConstValue(literal))
  expect(JSON.stringify(value)).toBe('{"a":[1,-2.5,1000,true,null,"x","WORD"],"b":{},"__proto__":{"admin":true}}')
  expect((value as { admin?: boolean }).admin).toBeUndefined()
})

const nested = (levels: number): unknown => (levels === 0 ? 0 : [nested(levels - 1)])

test('32 levels are enough, 33 are too many, and no depth overflows the stack', () => {
  expect(readJson(nested(32))).toEqual(nested(32))
  expect(() => readJson(nested(33))).toThrow('at most 32 levels deep')
  expect(() => readJson(JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)))).toThrow('at most 32 levels deep')
  expect(readJsonLiteral(parseConstValue('['.repeat(32) + ']'.repeat(32)))).toBeInstanceOf(Array)
  expect(() => readJsonLiteral(parseConstValue('['.repeat(33) + ']'.repeat(33)))).toThrow('at most 32 levels deep')
  expect(() => readJsonLiteral(parseConstValue('{a:'.repeat(33) + '1' + '}'.repeat(33)))).toThrow('at most 32 levels')
})

test('64 KiB are enough, more is too much', () => {
  expect(readJson('x'.repeat(65_534))).toHaveLength(65_534)
  expect(() => readJson('x'.repeat(65_535))).toThrow('at most 65536 bytes long; it is 65537')
  expect(() => readJson(['ä'.repeat(40_000)])).toThrow('at most 65536 bytes long')
})

test('a number that no double holds is refused', () => {
  expect(() => readJsonLiteral(parseConstValue('1e999'))).toThrow('too large')
})
