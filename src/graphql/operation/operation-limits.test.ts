import { assertObjectType, buildSchema, getIntrospectionQuery, getOperationAST, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { must } from '../../platform/must.ts'
import { IntrospectionCost } from './introspection-cost.ts'
import {
  checkDocument,
  checkSize,
  isTooDeep,
  LIMITS,
  measureOperation,
  WHOLE_SCHEMA_COST,
  type OperationSize,
} from './operation-limits.ts'
import type { Paged } from './paged.ts'

const schema = buildSchema(`
  union Any = Thing | Edge | Connection
  type Query { any: Any, text(last: Int): String, things(first: Int, last: Int): Connection, thing: Thing, page(first: Int): [Thing!]!, plain: [Thing!]!, dear(first: Int): Connection, dearText: String }
  type Connection { edges: [Edge!]!, count: Int }
  type Edge { cursor: String, node: Thing! }
  type Thing { id: ID, name: String, child: Thing, children: [Thing!]!, things(first: Int): Connection, tags: [String!] }
`)
const declared: Readonly<Record<string, Paged>> = {
  'Query.things': { default: 20, max: 100 },
  'Query.page': { default: 100, max: 500 },
  'Query.plain': { default: 5, max: null },
  'Thing.children': { default: 3, max: 10 },
  'Thing.tags': { default: 4, max: null },
}
for (const [name, paged] of Object.entries(declared)) {
  const [type, field] = name.split('.') as [string, string]
  Object.assign(must(assertObjectType(schema.getType(type)).getFields()[field], name).extensions, { paged })
}

const dear = { 'Query.dear': { paged: { default: 2, max: 5 }, cost: 1000 }, 'Query.dearText': { cost: 500 } }
for (const [name, extensions] of Object.entries(dear))
  Object.assign(must(assertObjectType(schema.getQueryType()).getFields()[name.slice(6)], name).extensions, extensions)

const introspection = new IntrospectionCost(schema, WHOLE_SCHEMA_COST)

function measure(text: string, variables: Record<string, unknown> = {}): OperationSize {
  const document = parse(text)
  const operation = must(getOperationAST(document), 'one operation')
  return measureOperation({ schema, document, operation, variables, introspection })
}

describe('measureOperation', () => {
  test.each([
    ['{ thing { id } }', 1.1, 2],
    ['{ thing { id name child { id } } }', 2.3, 3],
    // One thing is of one type: the dearest counts, and what is asked for of one type twice counts twice.
    ['{ any { __typename ... on Thing { id name } ... on Edge { cursor } } }', 1 + 0.1 + 0.2, 2],
    ['{ any { ... on Thing { id } ...N ... on Edge { cursor } } } fragment N on Thing { name }', 1.2, 2],
    ['{ any { ... on Connection { count } ... on Any { ... on Edge { cursor } } } }', 1.2, 2],
    // Of a text, "last" is a length.
    ['{ text(last: 4096) }', 0.1, 1],
    // A connection's edges are as many as its page, not that times a guess.
    ['{ things(first: 10) { edges { node { id } } } }', 1 + 10 * (1 + 1.1 + 1), 4],
    ['{ things { count } }', 1 + 20 * 0.1, 2],
    ['{ things(last: 3) { count } }', 1.3, 2],
    ['{ page(first: 7) { id } }', 1 + 7 * 0.1 + 7, 2],
    ['{ page { id } }', 1 + 100 * 0.1 + 100, 2],
    ['{ plain { id } }', 1 + 5 * 0.1 + 5, 2],
    ['{ thing { tags } }', 1 + 4 * 0.1, 2],
    ['{ thing { children { __typename } } }', 1 + 1 + 3 * 0.1 + 3, 3],
    // A list that declares nothing counts as any page.
    ['{ thing { things { count } } }', 1 + 1 + 20 * 0.1, 3],
    // Whichever of the two is a number is what the resolver takes.
    ['{ things(first: null, last: 50) { count } }', 1 + 50 * 0.1, 2],
    ['{ things(first: 1, last: 50) { count } }', 1 + 50 * 0.1, 2],
    ['{ ...F } fragment F on Query { thing { ...G } } fragment G on Thing { id }', 1.1, 2],
    ['{ ... { ... on Query { thing { id } } } }', 1.1, 2],
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
    expect(measure('{ things(first: 500) { count } }').cost).toBe(measure('{ things(first: 100) { count } }').cost)
    expect(measure('{ page(first: -5) { id } }').cost).toBe(measure('{ page(first: 1) { id } }').cost)
  })

  test('what takes long has a cost of its own, besides what it gives', () => {
    expect(measure('{ dear { edges { node { id } } } dearText }').cost).toBeCloseTo(1000 + 1 + 2 * (3 + 0.1) + 500.1)
    expect(checkSize(measure('{ a: dear { count } b: dear { count } c: dear { count } }'))).toBeNull()
    const many = Array.from({ length: 5 }, (_, n) => `d${n}: dear { count }`).join(' ')
    expect(checkSize(measure(`{ ${many} }`))).toMatchObject({ extensions: { code: 'QUERY_TOO_COMPLEX' } })
  })

  test('page sizes from variables count as given, and say that they do', () => {
    const text = 'query($n: Int) { page(first: $n) { id } }'
    expect(measure(text, { n: 7 })).toEqual({ ...measure('{ page(first: 7) { id } }'), variableCost: true })
    expect(measure(text).cost).toBe(measure('{ page { id } }').cost)
    expect(measure(text, { n: 'many' }).cost).toBe(measure('{ page { id } }').cost)
    expect(measure('{ thing { id } }').variableCost).toBe(false)
  })

  test('a variable that is not given has the default that the operation declares', () => {
    const text = 'query($n: Int = 90) { page(first: $n) { id } }'
    expect(measure(text).cost).toBe(measure('{ page(first: 90) { id } }').cost)
    expect(measure(text, { n: 7 }).cost).toBe(measure('{ page(first: 7) { id } }').cost)
    // Null is a value: the resolver's own default holds.
    expect(measure(text, { n: null }).cost).toBe(measure('{ page { id } }').cost)
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

describe('introspection', () => {
  const typeRef = (depth: number): string => (depth === 0 ? 'name' : `name ofType { ${typeRef(depth - 1)} }`)

  test('all of the schema costs half of what an operation may, in the words of graphql and of other tools', () => {
    expect(measure(getIntrospectionQuery({ oneOf: true, specifiedByUrl: true })).cost).toBeLessThan(LIMITS.cost / 2)
    const longest = { descriptions: true, schemaDescription: true, inputValueDeprecation: true } as const
    const all = getIntrospectionQuery({ ...longest, specifiedByUrl: true, directiveIsRepeatable: true, oneOf: true })
    expect(measure(all).cost).toBeCloseTo(LIMITS.cost / 2)
    expect(checkSize(measure(all))).toBeNull()
    expect(measure(`{ a: __schema { description } ${all.slice(all.indexOf('{') + 1)}`).cost).toBeGreaterThan(
      LIMITS.cost / 2,
    )
  })

  test('lists count as long as they are, wherever they nest', () => {
    const cost = (text: string): number => measure(text).cost
    const one = cost('{ __type(name: "Edge") { name } }')
    expect(cost('{ __type(name: "Edge") { fields { name } } }')).toBeCloseTo((one * 7) / 3)
    expect(cost('{ __type(name: "Nothing") { fields { name } } }')).toBeLessThan(one)
    const nested = (depth: number): string => (depth === 0 ? 'name' : `fields { type { ${nested(depth - 1)} } }`)
    expect(cost(`{ __schema { types { ${nested(2)} } } }`)).toBeGreaterThan(
      cost(`{ __schema { types { ${nested(1)} } } }`),
    )
    expect(cost(`{ __type(name: "Query") { fields { type { ${typeRef(9)} } } } }`)).toBeLessThan(LIMITS.cost)
  })

  test('the name of a type may come from a variable', () => {
    const text = 'query($name: String!) { __type(name: $name) { fields { name } } }'
    expect(measure(text, { name: 'Query' })).toMatchObject({
      cost: measure('{ __type(name: "Query") { fields { name } } }').cost,
      variableCost: true,
    })
  })

  test('fragments that double each other, or spread themselves, end', () => {
    const bomb = Array.from({ length: 60 }, (_, n) => `fragment F${n} on __Type { ...F${n + 1} ...F${n + 1} }`).join(
      ' ',
    )
    expect(measure(`{ __schema { types { ...F0 } } } ${bomb} fragment F60 on __Type { name }`).cost).toBe(Infinity)
    expect(
      measure('{ __schema { types { ...A } } } fragment A on __Type { name ...A ofType { ...A } }').cost,
    ).toBeLessThan(LIMITS.cost)
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
