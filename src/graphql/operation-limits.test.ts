import { buildSchema, getOperationAST, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { must } from '../platform/must.ts'
import { checkDocument, checkSize, isTooDeep, measureOperation, type OperationSize } from './operation-limits.ts'

const schema = buildSchema(`
  type Query { things(first: Int, last: Int): Connection, thing: Thing, page(first: Int): [Thing!]!, plain: [Thing!]! }
  type Connection { edges: [Edge!]!, count: Int }
  type Edge { cursor: String, node: Thing! }
  type Thing { id: ID, name: String, child: Thing, children: [Thing!]!, things(first: Int): Connection }
`)

function measure(text: string, variables: Record<string, unknown> = {}): OperationSize {
  const document = parse(text)
  const operation = must(getOperationAST(document), 'one operation')
  return measureOperation({ schema, document, operation, variables })
}

describe('measureOperation', () => {
  test.each([
    ['{ thing { id } }', 1.1, 2],
    ['{ thing { id name child { id } } }', 2.3, 3],
    // A connection's edges are as many as its page, not that times a guess.
    ['{ things(first: 10) { edges { node { id } } } }', 1 + 10 * (1 + 1.1 + 1), 4],
    ['{ things { count } }', 1 + 20 * 0.1, 2],
    ['{ things(last: 3) { count } }', 1.3, 2],
    ['{ page(first: 7) { id } }', 1 + 7 * 0.1 + 7, 2],
    ['{ plain { id } }', 1 + 5 * 0.1 + 5, 2],
    ['{ ...F } fragment F on Query { thing { ...G } } fragment G on Thing { id }', 1.1, 2],
    ['{ ... { ... on Query { thing { id } } } }', 1.1, 2],
    ['{ __schema { types { fields { name } } } }', 0, 0],
    ['{ nothing { of { this } } }', 2.1, 3],
  ])('%s', (text, cost, depth) => {
    const size = measure(text)
    expect(size.cost).toBeCloseTo(cost)
    expect(size.depth).toBe(depth)
  })

  test('lists in lists multiply, absurd page sizes stop at the largest page', () => {
    expect(
      measure('{ things(first: 100) { edges { node { things(first: 100) { edges { node { id } } } } } } }').cost,
    ).toBeGreaterThan(30_000)
    expect(measure('{ page(first: 2000000000) { id } }').cost).toBe(measure('{ page(first: 500) { id } }').cost)
    expect(measure('{ page(first: -5) { id } }').cost).toBe(measure('{ page(first: 1) { id } }').cost)
  })

  test('page sizes from variables count as given, and say that they do', () => {
    const text = 'query($n: Int) { page(first: $n) { id } }'
    expect(measure(text, { n: 7 })).toEqual({ ...measure('{ page(first: 7) { id } }'), variableCost: true })
    expect(measure(text).cost).toBe(measure('{ page { id } }').cost)
    expect(measure(text, { n: 'many' }).cost).toBe(measure('{ page { id } }').cost)
    expect(measure('{ thing { id } }').variableCost).toBe(false)
  })

  test('a fragment counts wherever it is spread, and is measured once', () => {
    const fragments = Array.from(
      { length: 60 },
      (_, n) => `fragment F${n} on Thing { ...F${n + 1} ...F${n + 1} }`,
    ).join(' ')
    const size = measure(`{ thing { ...F0 } } ${fragments} fragment F60 on Thing { id }`)
    expect(size.cost).toBeGreaterThan(1e17)
    expect(checkSize(size)?.extensions['code']).toBe('QUERY_TOO_COMPLEX')
  })

  test('fragments in a circle end', () => {
    expect(
      measure('{ thing { ...A } } fragment A on Thing { child { ...B } } fragment B on Thing { child { ...A } }').depth,
    ).toBe(3)
  })

  test('root fields count in fragments too', () => {
    expect(measure('{ a: thing { id } ...F } fragment F on Query { b: thing { id } c: thing { id } }').rootFields).toBe(
      3,
    )
  })
})

test('checkDocument counts aliases and directives, whatever they stand on', () => {
  const aliases = (count: number): string => Array.from({ length: count }, (_, n) => `a${n}: id`).join(' ')
  expect(checkDocument(parse(`{ thing { ${aliases(50)} } }`))).toBeNull()
  expect(checkDocument(parse(`{ thing { ${aliases(51)} } }`))?.message).toContain('51 aliases; the limit is 50')
  expect(checkDocument(parse(`{ thing { id ${'@skip(if: false) '.repeat(21)} } }`))?.message).toContain('21 directives')
})

test('isTooDeep neither recurses nor minds width', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 1
    for (let n = 0; n < depth; n += 1) value = n % 2 === 0 ? [value] : { value }
    return value
  }
  expect([32, 33, 100_000].map((depth) => isTooDeep(nested(depth)))).toEqual([false, true, true])
  expect(isTooDeep({ wide: Array.from({ length: 200_000 }, () => [0]) })).toBe(false)
})
