/** Rules of the schema that hold whatever is added to it; schema.graphql itself is the contract with frontends. */
import { readFileSync } from 'node:fs'
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  type GraphQLNamedType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { printedSchema } from '../../src/graphql/schema/printed-schema.ts'
import { buildSchema } from '../../src/graphql/schema/schema.ts'

const schema = buildSchema()
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)

describe('the schema', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  test.each(mutations.map((field) => [field.name, field] as const))(
    '%s takes one input, and returns a payload of its own or any refusal',
    (name, field) => {
      const own = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
      // There is nothing to say about what these are to do.
      const wanted = ['reloadSecrets', 'createLinkCode'].includes(name) ? [] : [['input', `${own}Input!`]]
      expect(field.args.map((argument) => [argument.name, String(argument.type)])).toEqual(wanted)
      expect(String(field.type)).toBe(`${own}Result!`)
      const refusals = Object.values(schema.getTypeMap()).filter((type) => isRefusal(type))
      const result = getNamedType(field.type)
      const members = isUnionType(result) ? result.getTypes().map((member) => member.name) : []
      expect(members.toSorted()).toEqual([`${own}Payload`, ...refusals.map((type) => type.name)].toSorted())
    },
  )

  test.each([
    ['OpenSessionPayload', ['session', 'created']],
    ['DeleteSessionPayload', ['deletedSessionId']],
    ['AddParticipantPayload', ['session']],
    ['RemoveParticipantPayload', ['session']],
    ['SendMessagePayload', ['message', 'duplicate', 'linkedTo']],
    ['AppendMessagePayload', ['message', 'duplicate']],
    ['CancelTurnPayload', ['turn']],
    ['EditFactPayload', ['fact']],
    ['PromoteLearningPayload', ['learning']],
    ['ResolveQuestionPayload', ['question']],
    ['ReloadSecretsPayload', ['names']],
  ])('%s holds %j', (name, fields) => {
    const type = schema.getType(name)
    expect(Object.keys(fieldsOf(type)).sort()).toEqual(fields.sort())
  })

  test.each(['Session', 'Message', 'Turn', 'Task', 'Fact', 'Learning', 'Question'])(
    '%s has a Relay connection',
    (name) => {
      const [connection, edge] = [schema.getType(`${name}Connection`), schema.getType(`${name}Edge`)]
      expect(fieldsOf(connection)).toMatchObject({ edges: `[${name}Edge!]!`, pageInfo: 'PageInfo!' })
      expect(fieldsOf(edge)).toEqual({ cursor: 'String!', node: `${name}!` })
    },
  )
})

test('schema.graphql is what the code prints: run `npm run print-schema` after a change', () => {
  const printed = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8')
  expect(printed).toBe(printedSchema(schema))
})

test('every type, field, argument and enum value is described', () => {
  const silent = types.flatMap((type) => [...undescribed(type)])
  expect(silent).toEqual([])
})

function isRefusal(type: GraphQLNamedType): boolean {
  return isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Refusal')
}

function fieldsOf(type: GraphQLNamedType | undefined): Record<string, string> {
  const fields = isObjectType(type) ? Object.values(type.getFields()) : []
  return Object.fromEntries(fields.map((field) => [field.name, String(field.type)]))
}

function* undescribed(type: GraphQLNamedType): Generator<string> {
  if (isSilent(type)) yield type.name
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      if (isSilent(field)) yield `${type.name}.${field.name}`
      for (const argument of field.args) if (isSilent(argument)) yield `${type.name}.${field.name}(${argument.name})`
    }
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) if (isSilent(field)) yield `${type.name}.${field.name}`
  }
  if (isEnumType(type)) for (const value of type.getValues()) if (isSilent(value)) yield `${type.name}.${value.name}`
}

/** A sentence, not a word. */
function isSilent({ description }: { readonly description?: string | null | undefined }): boolean {
  return description == null || !/^\S.*[.!]$/s.test(description)
}
