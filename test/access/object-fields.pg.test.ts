/** The authorization matrix of everything that can be read: each field of each object type, by each kind of caller. */
import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { must } from '../../src/platform/must.ts'
import { documentsFor, objectTypes, plainValues, typesWithoutId, waysTo } from './documents-of-schema.ts'
import { EXEMPT, RULES, SEEN_BY, type Outcome } from './field-rules.ts'
import { CALLERS, PeopleWorld, type Answer, type Caller } from './people-world.ts'

const schema = buildSchema()
const read = objectTypes(schema).filter(({ name }) => name !== 'Mutation' && name !== 'Subscription')
const fields = read.flatMap(({ name }) => Object.keys(schemaFields(name)).map((field) => `${name}.${field}`))

let world: PeopleWorld
let ways: ReturnType<typeof waysTo>
beforeAll(async () => {
  world = await PeopleWorld.begin()
  ways = waysTo(schema, world.ids)
})
afterAll(() => world[Symbol.asyncDispose]())

test('every field has a rule, and every rule a field', () => {
  expect([...RULES.keys()].sort()).toEqual([...fields].sort())
  expect([...EXEMPT].filter((field) => !RULES.has(field))).toEqual([])
  expect(typesWithoutId(schema)).toEqual([])
})

const isQueried = (type: string): boolean =>
  Object.keys(schemaFields(type)).some(
    (field) => !['mutations', 'subscriptions'].includes(RULES.get(`${type}.${field}`) ?? ''),
  )

describe.each(read.map(({ name }) => name).filter(isQueried))('%s', (typeName) => {
  test.each(CALLERS)('%s', async (caller) => {
    const expected = comparedFields(typeName).map((field) => [field, expectedOf(`${typeName}.${field}`, caller)])
    expect(await look(typeName, caller)).toEqual({ outcomes: Object.fromEntries(expected), faults: [] })
  })
})

function schemaFields(typeName: string): Readonly<Record<string, unknown>> {
  const type = schema.getType(typeName)
  return isObjectType(type) ? type.getFields() : {}
}

function comparedFields(typeName: string): readonly string[] {
  return Object.keys(schemaFields(typeName)).filter((field) => !EXEMPT.has(`${typeName}.${field}`))
}

function expectedOf(field: string, caller: Caller): Outcome {
  const seers: readonly Caller[] = SEEN_BY[must(RULES.get(field), `a rule for ${field}`)]
  return seers.includes(caller) ? 'shown' : 'hidden'
}

/** What the caller is shown of each field, and what is wrong with an answer. */
async function look(typeName: string, caller: Caller): Promise<Look> {
  const way = must(ways.get(typeName), `a way to ${typeName}`)
  const isConnector = caller === 'within' || caller === 'outside'
  const outcomes = new Map<string, Outcome>(comparedFields(typeName).map((field) => [field, 'hidden']))
  const faults: string[] = []
  for (const document of documentsFor(schema, way, plainValues({ ids: world.ids, isConnector }))) {
    const answer = await world.ask(caller, document)
    faults.push(...faultsOf(answer, document, caller))
    for (const [field, value] of valuesIn(JSON.parse(answer.body) as unknown, typeName)) {
      if (outcomes.has(field) && !isNothing(value)) outcomes.set(field, 'shown')
    }
  }
  return { outcomes: Object.fromEntries(outcomes), faults }
}

interface Look {
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly faults: readonly string[]
}

const UNAUTHENTICATED = /^\{"errors":\[\{"message":"(?:[^"\\]|\\.)*","extensions":\{"code":"UNAUTHENTICATED"\}\}\]\}$/
/** Errors that tell of a fault of this test or of the server. */
const BROKEN = /INTERNAL_SERVER_ERROR|GRAPHQL_|BAD_USER_INPUT|TOO_COMPLEX|DATABASE_UN|RATE_LIMITED/

function faultsOf({ status, body }: Answer, document: string, caller: Caller): string[] {
  if (caller === 'nobody' || caller === 'revoked') {
    return status === 401 && UNAUTHENTICATED.test(body) ? [] : [`answered with ${status}: ${body}`]
  }
  const broken = status !== 200 || BROKEN.test(body) ? [`${status} for ${document}: ${body}`] : []
  const leaks = caller === 'other' || caller === 'outside' ? world.leaksIn(body, document) : []
  return [...broken, ...leaks.map((leak) => `${leak} in the answer to ${document}`)]
}

/** Each value of each field of the things of this type, wherever they stand in an answer. */
function valuesIn(value: unknown, typeName: string): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, typeName))
  if (value === null || typeof value !== 'object') return []
  const entries = Object.entries(value)
  const own = (value as { __typename?: string }).__typename === typeName ? entries : []
  return [...own, ...entries.flatMap(([, inner]) => valuesIn(inner, typeName))]
}

function isNothing(value: unknown): boolean {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return true
  return typeof value === 'object' && 'edges' in value && isNothing(value.edges)
}
