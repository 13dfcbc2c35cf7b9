/**
 * What asking for the schema costs. It is counted on the schema itself: how many types, fields and arguments the
 * selection would show, wherever it nests, so no guess at the length of a list can be turned into a larger answer.
 * Nothing here relies on the document being valid.
 *
 * All of the schema, as graphql's own introspection query asks for it, costs half of what an operation may: GraphiQL
 * and generators pass, and no operation can ask for much more.
 */
import {
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql'
import { must } from '../../platform/must.ts'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>
export type Variables = Readonly<Record<string, unknown>>

export interface OperationParts {
  readonly fragments: Fragments
  readonly variables: Variables
}

/** With every option: the longest that graphql-js has. */
const WHOLE_SCHEMA = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
})

export class IntrospectionCost {
  readonly #schema: GraphQLSchema
  /** What all of the schema is to cost. */
  readonly #costOfAll: number
  #entriesOfAll: number | null = null

  constructor(schema: GraphQLSchema, costOfAll: number) {
    this.#schema = schema
    this.#costOfAll = costOfAll
  }

  /** Of a `__schema` or `__type` field; endless when it is more than three times all of the schema. */
  of(field: FieldNode, asked: OperationParts): number {
    this.#entriesOfAll ??= this.#countAll()
    const enough = 3 * this.#entriesOfAll
    return (this.#costOfAll * new Count(this.#schema, asked, enough).of(field)) / this.#entriesOfAll
  }

  #countAll(): number {
    const document = parse(WHOLE_SCHEMA)
    const fragments = new Map(
      document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
    )
    const [root] = must(getOperationAST(document), 'one operation').selectionSet.selections
    if (root?.kind !== Kind.FIELD) throw new TypeError('the introspection query begins with a field')
    return new Count(this.#schema, { fragments, variables: {} }, Infinity).of(root)
  }
}

/** Counts the entries of an answer: each object and each of its fields. */
class Count {
  readonly #info: GraphQLResolveInfo
  readonly #asked: OperationParts
  readonly #enough: number
  /** Fragments inside of which the count is: one that spreads itself counts nothing there (validation refuses it). */
  readonly #inside = new Set<string>()
  #entries = 0
  #steps = 0

  constructor(schema: GraphQLSchema, asked: OperationParts, enough: number) {
    // All that the resolvers of introspection read of it.
    this.#info = { schema } as GraphQLResolveInfo
    this.#asked = asked
    this.#enough = enough
  }

  of(field: FieldNode): number {
    const definition = field.name.value === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef
    this.#field(field, definition, [null])
    return this.#isEnough ? Infinity : this.#entries
  }

  get #isEnough(): boolean {
    return this.#entries > this.#enough || this.#steps > this.#enough
  }

  #field(node: FieldNode, definition: GraphQLField<unknown, unknown>, parents: readonly unknown[]): void {
    this.#entries += parents.length
    const type = getNamedType(definition.type)
    if (node.selectionSet === undefined || !isObjectType(type)) return
    const objects: unknown[] = []
    for (const parent of parents) {
      if (this.#isEnough) return
      const found = this.#resolve(node, definition, parent)
      if (Array.isArray(found)) objects.push(...(found as unknown[]))
      else if (found !== null && found !== undefined) objects.push(found)
      this.#entries += Array.isArray(found) ? found.length : 1
    }
    this.#selections(node.selectionSet, type, objects)
  }

  #selections(selectionSet: SelectionSetNode, type: GraphQLObjectType, objects: readonly unknown[]): void {
    if (objects.length === 0) return
    for (const selection of selectionSet.selections) {
      this.#steps += 1
      if (this.#isEnough) return
      if (selection.kind === Kind.INLINE_FRAGMENT) this.#selections(selection.selectionSet, type, objects)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#spread(selection.name.value, type, objects)
      else this.#select(selection, type, objects)
    }
  }

  #spread(name: string, type: GraphQLObjectType, objects: readonly unknown[]): void {
    const fragment = this.#asked.fragments.get(name)
    if (fragment === undefined || this.#inside.has(name)) return
    this.#inside.add(name)
    this.#selections(fragment.selectionSet, type, objects)
    this.#inside.delete(name)
  }

  #select(node: FieldNode, type: GraphQLObjectType, objects: readonly unknown[]): void {
    const definition = type.getFields()[node.name.value]
    if (definition === undefined) this.#entries += objects.length
    else this.#field(node, definition, objects)
  }

  #resolve(node: FieldNode, { name, resolve }: GraphQLField<unknown, unknown>, parent: unknown): unknown {
    const args = name === TypeMetaFieldDef.name ? { name: this.#nameArgument(node) } : { includeDeprecated: true }
    return must(resolve, `introspection resolves ${name}`)(parent, args, null, this.#info)
  }

  #nameArgument(node: FieldNode): string {
    const value = node.arguments?.find((argument) => argument.name.value === 'name')?.value
    if (value?.kind === Kind.STRING) return value.value
    const given = value?.kind === Kind.VARIABLE ? this.#asked.variables[value.name.value] : null
    return typeof given === 'string' ? given : ''
  }
}
