/**
 * What one operation may ask for. Checked on the parsed document before validation, because validation itself
 * is expensive on hostile documents; so nothing here relies on the document being valid. Fragments are measured once
 * each: the time taken is linear in the document, while depth and cost count every place where a fragment is spread.
 *
 * Cost: an object is 1, a scalar a tenth, times the sizes of the lists around it. A list's size is its `first` or
 * `last` argument; without one, what its field declares (`paged.ts`), which is what its resolver gives. Of fragments on
 * several object types, which exclude each other, the dearest counts.
 */
import {
  getNamedType,
  getNullableType,
  GraphQLError,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  visit,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import type { IntrospectionCost, Variables } from './introspection-cost.ts'
import { pagedOf, type Paged } from './paged.ts'

export const LIMITS = {
  documentBytes: 16 * 1024,
  tokens: 1000,
  depth: 12,
  cost: 5000,
  /** Of a subscription, which runs anew with each event. */
  eventCost: 1000,
  /** Of the open subscriptions of a user together (standing-cost.ts). */
  standingCost: 30_000,
  aliases: 50,
  directives: 20,
  rootFields: 20,
  /** Nesting of JSON in variables. */
  jsonDepth: 32,
  /** Characters of an operation's name that are logged, or quoted in an answer. */
  shownName: 100,
} as const

/** For whatever coerces variables: one error is given, as each holds the whole value. */
export const EXECUTION_OPTIONS = { maxCoercionErrors: 1 } as const

/** Of a list that declares nothing: one that a plugin has added. */
const UNDECLARED: Paged = { default: 20, max: 100 }
const SCALAR_COST = 0.1
/** What all of the schema costs to ask for. */
export const WHOLE_SCHEMA_COST = LIMITS.cost / 2

interface Size {
  readonly depth: number
  readonly cost: number
}

export interface OperationSize extends Size {
  readonly rootFields: number
  /** Whether a page size comes from a variable: then the cost holds for these variables only. */
  readonly variableCost: boolean
}

/** Aliases and directives, counted where they are written. Null when within limits. */
export function checkDocument(document: DocumentNode): GraphQLError | null {
  let aliases = 0
  let directives = 0
  visit(document, {
    Field: (node) => void (aliases += node.alias === undefined ? 0 : 1),
    Directive: () => void (directives += 1),
  })
  if (aliases > LIMITS.aliases) return tooComplex(`${aliases} aliases`, `${LIMITS.aliases}`)
  if (directives > LIMITS.directives) return tooComplex(`${directives} directives`, `${LIMITS.directives}`)
  return null
}

/** Null when within limits. */
export function checkSize(size: OperationSize, isSubscription = false): GraphQLError | null {
  if (size.rootFields > LIMITS.rootFields) return tooComplex(`${size.rootFields} root fields`, `${LIMITS.rootFields}`)
  if (size.depth > LIMITS.depth) return tooComplex(`a depth of ${size.depth}`, `${LIMITS.depth}`)
  const limit = isSubscription ? LIMITS.eventCost : LIMITS.cost
  if (size.cost <= limit) return null
  const cost = Number.isFinite(size.cost) ? `a cost of ${Math.ceil(size.cost)}` : 'an endless cost'
  return tooComplex(cost, `${limit}: ask for smaller pages ("first"), or for less in each`)
}

export function tooComplex(has: string, limit: string): GraphQLError {
  return new GraphQLError(`The operation has ${has}; the limit is ${limit}.`, {
    extensions: { code: 'QUERY_TOO_COMPLEX' },
  })
}

/** A name that a client gives may be as long as a request. */
export function shownName(name: string): string {
  return name.length > LIMITS.shownName ? `${name.slice(0, LIMITS.shownName)}…` : name
}

export interface Measured {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly variables: Variables
  readonly introspection: IntrospectionCost
}

export function measureOperation(measured: Measured): OperationSize {
  return new Measurement(measured).operation()
}

/** One walk over an operation; holds what has been measured of its fragments. */
class Measurement {
  readonly #input: Measured
  readonly #definitions = new Map<string, FragmentDefinitionNode>()
  /** By name and place of use; a fragment being measured counts nothing inside itself (validation refuses cycles). */
  readonly #fragments = new Map<string, Size>()
  #rootFields = 0
  #variableCost = false

  constructor(input: Measured) {
    this.#input = input
    for (const definition of input.document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#definitions.set(definition.name.value, definition)
    }
  }

  operation(): OperationSize {
    const { schema, operation } = this.#input
    const root = schema.getRootType(operation.operation) ?? null
    const size = this.#selections(operation.selectionSet, { type: root, counted: false, isRoot: true })
    return { ...size, rootFields: this.#rootFields, variableCost: this.#variableCost }
  }

  #selections(selectionSet: SelectionSetNode, place: SelectionParent): Size {
    let depth = 0
    let cost = 0
    // What is no interface is one of its members at a time: of fragments on several, the dearest counts.
    const members = new Map<string, number>()
    for (const selection of selectionSet.selections) {
      const size =
        selection.kind === Kind.FIELD
          ? this.#field(selection, place)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.#selections(selection.selectionSet, this.#narrow(place, selection.typeCondition?.name.value))
            : this.#spread(selection.name.value, place)
      depth = Math.max(depth, size.depth)
      const member = this.#memberOf(selection, place)
      if (member === null) cost += size.cost
      else members.set(member, (members.get(member) ?? 0) + size.cost)
    }
    return { depth, cost: cost + Math.max(0, ...members.values()) }
  }

  /** The object type that a fragment on an interface or a union is about; null: it is about several. */
  #memberOf(selection: SelectionNode, { type }: SelectionParent): string | null {
    if (selection.kind === Kind.FIELD || !isAbstractType(type)) return null
    const condition =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection.typeCondition
        : this.#definitions.get(selection.name.value)?.typeCondition
    const member = condition === undefined ? undefined : this.#input.schema.getType(condition.name.value)
    return isObjectType(member) ? member.name : null
  }

  #spread(name: string, place: SelectionParent): Size {
    const definition = this.#definitions.get(name)
    if (definition === undefined) return NOTHING
    const key = `${name} ${place.counted} ${place.isRoot}`
    const known = this.#fragments.get(key)
    if (known !== undefined) return known
    this.#fragments.set(key, NOTHING)
    const size = this.#selections(definition.selectionSet, this.#narrow(place, definition.typeCondition.name.value))
    this.#fragments.set(key, size)
    return size
  }

  #narrow(place: SelectionParent, typeName: string | undefined): SelectionParent {
    if (typeName === undefined) return place
    const type = this.#input.schema.getType(typeName)
    return { ...place, type: isCompositeType(type) ? type : null }
  }

  #field(node: FieldNode, place: SelectionParent): Size {
    if (place.isRoot) this.#rootFields += 1
    // graphql-js limits the nesting of introspection itself, and its usual query is deeper than ours may be.
    if (this.#isIntrospection(node, place)) return { depth: 0, cost: this.#introspect(node) }
    const field = fieldOf(place.type, node.name.value)
    const isList = field !== null && isListType(getNullableType(field.type))
    const takesSize = field !== null && takesPageSize(field)
    // The lists of a connection (edges) are as long as its page, which is counted where the page is asked for.
    const times = field !== null && (takesSize || (isList && !place.counted)) ? this.#sizeOf(node, field) : 1
    const own = (field?.extensions['cost'] as number | undefined) ?? 0
    if (node.selectionSet === undefined) return { depth: 1, cost: own + times * SCALAR_COST }
    const named = field === null ? null : getNamedType(field.type)
    const inner = this.#selections(node.selectionSet, {
      type: isCompositeType(named) ? named : null,
      counted: takesSize && !isList,
      isRoot: false,
    })
    return { depth: inner.depth + 1, cost: own + 1 + times * inner.cost + (isList ? times : 0) }
  }

  #isIntrospection({ name: { value } }: FieldNode, { type }: SelectionParent): boolean {
    return (value === '__schema' || value === '__type') && type === this.#input.schema.getQueryType()
  }

  #introspect(node: FieldNode): number {
    const { introspection, variables } = this.#input
    if (node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE) === true) this.#variableCost = true
    return introspection.of(node, { fragments: this.#definitions, variables })
  }

  /** The largest of the sizes that are asked for: what the resolver makes of several is its own affair. */
  #sizeOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number {
    const paged = pagedOf(field) ?? UNDECLARED
    const asked = (node.arguments ?? [])
      .filter(({ name }) => isSizeArgument(name.value))
      .map(({ value }) => this.#valueOf(value))
      .filter((size) => size !== null)
    if (asked.length === 0) return paged.default
    return Math.min(paged.max ?? Infinity, Math.max(1, ...asked))
  }

  /** Null where the resolver is given none: then its default counts. */
  #valueOf(value: ValueNode | undefined): number | null {
    if (value?.kind === Kind.INT) return Number(value.value)
    if (value?.kind !== Kind.VARIABLE) return null
    this.#variableCost = true
    const { variables, operation } = this.#input
    const name = value.name.value
    if (Object.hasOwn(variables, name)) {
      const given = variables[name]
      return typeof given === 'number' ? given : null
    }
    const definition = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)
    return definition?.defaultValue?.kind === Kind.INT ? Number(definition.defaultValue.value) : null
  }
}

interface SelectionParent {
  readonly type: GraphQLCompositeType | null
  readonly counted: boolean
  readonly isRoot: boolean
}

const NOTHING: Size = { depth: 0, cost: 0 }

/** Of a leaf, `last` is a length: it asks for less of one value. */
function takesPageSize(field: GraphQLField<unknown, unknown>): boolean {
  const isValue = isLeafType(getNamedType(field.type)) && !isListType(getNullableType(field.type))
  return !isValue && field.args.some(({ name }) => isSizeArgument(name))
}

function isSizeArgument(name: string): boolean {
  return name === 'first' || name === 'last'
}

function fieldOf(type: GraphQLCompositeType | null, name: string): GraphQLField<unknown, unknown> | null {
  return type !== null && 'getFields' in type ? (type.getFields()[name] ?? null) : null
}

/**
 * Whether JSON is nested deeper than `LIMITS.jsonDepth`. Does not recurse: deep enough input would overflow the stack.
 */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > LIMITS.jsonDepth) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) next.push(child)
    }
    level = next
  }
  return false
}
