/** Compares a schema with the contract that frontends were given, name by name. */
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

export interface Comparison {
  /** Names of the contract that the schema lacks; a missing type or field stands for all that is in it. */
  readonly missing: readonly string[]
  /** What is there but not as promised, as sentences. */
  readonly different: readonly string[]
}

export function compareContract(contract: DocumentNode, schema: GraphQLSchema): Comparison {
  const missing: string[] = []
  const different: string[] = []
  for (const definition of contract.definitions) {
    const promised = new Map(membersOfNode(definition))
    const typeName = 'name' in definition ? (definition.name?.value ?? '') : ''
    const type = schema.getType(typeName)
    const actual = new Map(type === undefined ? [] : membersOfType(type))
    if (type === undefined) missing.push(typeName)
    else missing.push(...[...promised.keys()].filter((name) => !actual.has(name) && actual.has(ownerOf(name))))
    for (const [name, shape] of actual) {
      const wanted = promised.get(name)
      if (wanted !== undefined && wanted !== shape) different.push(`${name} is ${shape}, not ${wanted}`)
      // A field that is new may want what it likes.
      const isOld = !name.includes('(') || promised.has(ownerOf(name))
      if (wanted === undefined && isOld && isInput(name, type) && shape.endsWith('!'))
        different.push(`${name} is new and required`)
    }
  }
  return { missing, different }
}

/** What must be there for the lack of `name` to be worth telling: the field of an argument, else the type. */
function ownerOf(name: string): string {
  return name.includes('(') ? name.replace(/\(.*/, '') : name.replace(/[ .].*/, '')
}

function isInput(name: string, type: GraphQLNamedType | undefined): boolean {
  return name.includes('(') || (isInputObjectType(type) && name !== type.name)
}

type Member = readonly [name: string, shape: string]

/** The type itself, its interfaces, fields, arguments and enum values, each with what makes it equal to another. */
function* membersOfNode(node: DefinitionNode): Generator<Member> {
  if (!('name' in node) || node.name === undefined) return
  const typeName = node.name.value
  yield [typeName, kindOf(node.kind)]
  if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION) {
    for (const { name } of node.interfaces ?? []) yield [`${typeName} implements ${name.value}`, 'implements']
    for (const field of node.fields ?? []) {
      const fieldName = `${typeName}.${field.name.value}`
      yield [fieldName, print(field.type)]
      for (const argument of field.arguments ?? []) yield [`${fieldName}(${argument.name.value})`, print(argument.type)]
    }
  }
  if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
    for (const field of node.fields ?? []) yield [`${typeName}.${field.name.value}`, print(field.type)]
  }
  if (node.kind === Kind.ENUM_TYPE_DEFINITION) {
    for (const value of node.values ?? []) yield [`${typeName}.${value.name.value}`, 'value']
  }
}

function* membersOfType(type: GraphQLNamedType): Generator<Member> {
  yield [type.name, kindOf(type.constructor.name)]
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const { name } of type.getInterfaces()) yield [`${type.name} implements ${name}`, 'implements']
    for (const field of Object.values(type.getFields())) {
      yield [`${type.name}.${field.name}`, String(field.type)]
      for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, String(argument.type)]
    }
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, String(field.type)]
  }
  if (isEnumType(type)) for (const { name } of type.getValues()) yield [`${type.name}.${name}`, 'value']
}

/** "ObjectTypeDefinition" of a node and "GraphQLObjectType" of a type are both "object". */
function kindOf(name: string): string {
  return name
    .replace(/^GraphQL/, '')
    .replace(/TypeDefinition$|Type$/, '')
    .toLowerCase()
}
