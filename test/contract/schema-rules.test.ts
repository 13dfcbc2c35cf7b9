/**
 * What the normalised caches of frontends rely on (Relay, Apollo, urql): broken, they overwrite one thing with another.
 */
import {
  assertInterfaceType,
  buildSchema as buildFromText,
  isAbstractType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  type GraphQLAbstractType,
  type GraphQLSchema,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { buildSchema } from '../../src/graphql/schema/schema.ts'

const schema = buildSchema()

describe('no two members of a union or an interface have a field of one name and different types', () => {
  // Node is left out: each node has a record of its own under its id, and a document asks `node` for the type it knows.
  test.each(
    abstractTypes(schema)
      .filter(({ name }) => name !== 'Node')
      .map((type) => [type.name, type] as const),
  )('%s', (_name, type) => {
    expect(collisionsIn(schema, type)).toEqual([])
  })

  test('of one nullable and one not, too', () => {
    const broken = buildFromText('union U = A | B type A { x: Int! y: ID } type B { x: Int y: ID } type Query { u: U }')
    expect(abstractTypes(broken).flatMap((type) => collisionsIn(broken, type))).toEqual(['x: A.x is Int!, B.x is Int'])
  })
})

test('what has a field "id" is a node, and the other way round', () => {
  const node = assertInterfaceType(schema.getType('Node'))
  const withId = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .filter((type) => !isIntrospectionType(type) && type !== node)
    .filter((type) => Object.hasOwn(type.getFields(), 'id') !== type.getInterfaces().includes(node))
  expect(withId.map(({ name }) => name)).toEqual([])
})

test('what only admins may ask for is null to others, and the rest of their document is answered', () => {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {})
  const admins = roots.filter(({ extensions }) => {
    const { authScopes } = (extensions['pothosOptions'] ?? {}) as { authScopes?: { admin?: boolean } }
    return authScopes?.admin === true
  })
  expect(admins.length).toBeGreaterThan(5)
  expect(admins.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([])
})

function abstractTypes(of: GraphQLSchema): readonly GraphQLAbstractType[] {
  return Object.values(of.getTypeMap()).filter((type) => isAbstractType(type))
}

function collisionsIn(of: GraphQLSchema, type: GraphQLAbstractType): readonly string[] {
  const first = new Map<string, { readonly where: string; readonly shape: string }>()
  return of.getPossibleTypes(type).flatMap((member) =>
    Object.values(member.getFields()).flatMap((field) => {
      const found = { where: `${member.name}.${field.name}`, shape: String(field.type) }
      const before = first.get(field.name)
      if (before === undefined) first.set(field.name, found)
      if (before === undefined || before.shape === found.shape) return []
      return [`${field.name}: ${before.where} is ${before.shape}, ${found.where} is ${found.shape}`]
    }),
  )
}
