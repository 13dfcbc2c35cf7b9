/**
 * PostgreSQL stores no NUL. In each text of each root field in turn one is sent, beside values that are well-formed:
 * the caller is told what to change, or that there is no such thing; it is never a fault of ours.
 */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  type GraphQLField,
  type GraphQLInputType,
} from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { Story, tokenOf } from '../harness/story.ts'

const NUL = 'a\u0000b'
const MAX_DEPTH = 3
const schema = buildSchema()
const TEXTS = new Set(['String', 'ID'])

/** A value of the type for each text in it, which is the only one with a NUL; the first value has none. */
function valuesOf(type: GraphQLInputType, depth = 0): unknown[] {
  if (isNonNullType(type)) return valuesOf(type.ofType, depth)
  if (isListType(type)) return valuesOf(type.ofType, depth).map((value) => [value])
  if (isEnumType(type)) return [type.getValues()[0]?.name]
  if (isScalarType(type)) return TEXTS.has(type.name) ? ['fuzz', NUL] : [SCALARS[type.name]]
  const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || depth < MAX_DEPTH)
  const parts = fields.map(({ name, type: inner }) => ({ name, values: valuesOf(inner, depth + 1) }))
  const plain = Object.fromEntries(parts.map(({ name, values }) => [name, values[0]]))
  return [plain, ...parts.flatMap(({ name, values }) => values.slice(1).map((value) => ({ ...plain, [name]: value })))]
}

const SCALARS: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1,
  Count: 1,
  Boolean: true,
  DateTime: '2030-01-01T00:00:00.000Z',
  JSON: { key: 'value' },
  Decimal: '1.5',
}

interface Case {
  readonly kind: 'query' | 'mutation'
  readonly name: string
  readonly argument: string
  readonly type: string
  readonly field: GraphQLField<unknown, unknown>
  readonly value: unknown
}

function casesOf(kind: Case['kind']): Case[] {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType()
  return Object.values(root?.getFields() ?? {}).flatMap((field) =>
    field.args.flatMap((argument) =>
      valuesOf(argument.type)
        .slice(1)
        .map((value) => ({
          kind,
          name: field.name,
          argument: argument.name,
          type: String(argument.type),
          field,
          value,
        })),
    ),
  )
}

function documentOf({ kind, name, argument, type, field }: Case): string {
  const others = field.args
    .filter((other) => other.name !== argument && isNonNullType(other.type))
    .map((other) => `, ${other.name}: ${isInputObjectType(getNamedType(other.type)) ? '{}' : '"fuzz"'}`)
  return `${kind} ($value: ${type}) { ${name}(${argument}: $value${others.join('')}) { __typename } }`
}

/** What the values that are well-formed name is there: otherwise it would be searched for first, and not found. */
const SEED = `mutation {
  createUser(input: { name: "fuzz", role: USER }) { __typename }
  createToken(input: { name: "fuzz", kind: USER, user: "fuzz" }) { __typename }
  openSession(input: { id: "fuzz" }) { __typename }
}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { settings: { requests_per_minute: 100_000 } } })
})
afterAll(() => story[Symbol.asyncDispose]())

async function ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<string> {
  const response = await fetch(`${story.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf('ada')}` },
    body: JSON.stringify({ query, variables }),
  })
  return response.text()
}

const cases = [...casesOf('query'), ...casesOf('mutation')]

test('there are texts to send, and what they name is there', async () => {
  expect(await ask(SEED, {})).toMatch(/CreateUserPayload.*CreateTokenPayload.*OpenSessionPayload/)
  expect(cases.length).toBeGreaterThan(100)
})

test('no text with a NUL is a fault of ours', async () => {
  const faults: string[] = []
  for (const one of cases) {
    const text = await ask(documentOf(one), { value: one.value })
    if (text.includes('GRAPHQL_VALIDATION_FAILED') || text.includes('INTERNAL_SERVER_ERROR'))
      faults.push(`${one.name}(${JSON.stringify(one.value)}): ${text.slice(0, 300)}`)
  }
  expect(faults).toEqual([])
})
