/**
 * Random operations, from a seed: such as the schema allows, such with something wrong in them, deep ones, and noise.
 * Most of what they ask for is refused; what passes reads, or changes sessions that are made up.
 */
import {
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import type { SeededRandom } from '../harness/seeded-random.ts'

export interface FuzzedRequest {
  /** What was meant: figures are counted by it. */
  readonly kind: Kind
  /** A request's body. */
  readonly body: string
}

const KINDS = ['valid', 'mutated', 'noise', 'deep', 'variables', 'introspection', 'mutation', 'body'] as const
type Kind = (typeof KINDS)[number]
/** Of a hundred. Mutations are few: each may start a turn. */
const WEIGHTS: Readonly<Record<Kind, number>> = {
  valid: 28,
  mutated: 26,
  noise: 12,
  deep: 8,
  variables: 12,
  introspection: 4,
  mutation: 2,
  body: 8,
}

const MAX_DEPTH = 5
const TEXTS = [
  '',
  'x',
  'cli:one',
  'fuzz:1',
  'ü\u{1F600}',
  '\\',
  '"',
  '\u0000',
  'a'.repeat(300),
  '${jndi}',
  "'; DROP TABLE x",
]
const NUMBERS = [
  '0',
  '1',
  '-1',
  '3',
  '20',
  '100',
  '500',
  '2147483647',
  '2147483648',
  '1e3',
  '-0',
  '99999999999999999999',
]
const NOISE =
  '{ } ( ) [ ] : ! | & = @ $ ... " """ # , query mutation subscription fragment on true false null __typename __schema 1 -1 1e9 \\u{1F600} node edges session viewer'.split(
    ' ',
  )

export class Fuzzer {
  readonly #schema: GraphQLSchema
  readonly #random: SeededRandom
  /** Definitions and values of the variables of the operation that is being made. */
  #variables = new Map<string, { readonly type: string; readonly value: unknown }>()

  constructor(schema: GraphQLSchema, random: SeededRandom) {
    this.#schema = schema
    this.#random = random
  }

  next(): FuzzedRequest {
    const kind = this.#kind()
    return { kind, body: this.#bodyOf(kind) }
  }

  #kind(): Kind {
    let left = this.#random.between(1, 100)
    for (const kind of KINDS) {
      left -= WEIGHTS[kind]
      if (left <= 0) return kind
    }
    return 'valid'
  }

  #bodyOf(kind: Kind): string {
    switch (kind) {
      case 'valid':
        return this.#send(this.#operation('query'))
      case 'mutation':
        return this.#send(this.#operation('mutation'))
      case 'mutated':
        return this.#send(this.#mutate(this.#operation('query')))
      case 'variables':
        return this.#send(this.#operation('query'), (value) => (this.#random.chance(0.5) ? this.#json(3) : value))
      case 'noise':
        return this.#send(this.#several(40, () => this.#random.pick(NOISE)).join(' '))
      case 'deep':
        return this.#send(this.#deep())
      case 'introspection':
        return this.#send(this.#introspection())
      case 'body':
        return this.#broken(this.#send(this.#operation('query')))
    }
  }

  /** With the values of the variables of the operation that was made last. */
  #send(query: string, change: (value: unknown) => unknown = (value) => value): string {
    const variables = Object.fromEntries([...this.#variables].map(([name, { value }]) => [name, change(value)]))
    this.#variables = new Map()
    return JSON.stringify({ query, variables, ...(this.#random.chance(0.05) && { operationName: this.#json(0) }) })
  }

  #operation(type: 'query' | 'mutation'): string {
    this.#variables = new Map()
    const root = type === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType()
    const selection = root ? this.#selection(root, MAX_DEPTH) : '{ __typename }'
    const definitions = [...this.#variables].map(([name, variable]) => `$${name}: ${variable.type}`)
    return `${type} Fuzz${definitions.length === 0 ? '' : `(${definitions.join(', ')})`} ${selection}`
  }

  #selection(type: GraphQLNamedType, depth: number): string {
    const parts = isAbstractType(type) ? this.#onEach(type, depth) : []
    if ('getFields' in type && !isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => depth > 0 || isLeafType(getNamedType(field.type)),
      ) as GraphQLField<unknown, unknown>[]
      if (fields.length > 0) parts.push(...this.#several(4, () => this.#field(this.#random.pick(fields), depth)))
    }
    return `{ ${parts.length === 0 ? '__typename' : parts.join(' ')} }`
  }

  #onEach(type: GraphQLNamedType, depth: number): string[] {
    if (!isAbstractType(type)) return []
    const possible = this.#schema.getPossibleTypes(type)
    return this.#several(2, () => {
      const one = this.#random.pick(possible)
      return `... on ${one.name} ${this.#selection(one, depth - 1)}`
    })
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args.filter(({ type }) => isNonNullType(type) || this.#random.chance(0.4))
    const given = args.map((argument) => `${argument.name}: ${this.#argument(argument)}`)
    const named = getNamedType(field.type)
    const alias = this.#random.chance(0.3) ? `a${this.#random.between(0, 99)}: ` : ''
    const directive = this.#random.chance(0.05) ? ` @include(if: ${this.#random.chance(0.5)})` : ''
    const below = isLeafType(named) ? '' : ` ${this.#selection(named, depth - 1)}`
    return `${alias}${field.name}${given.length === 0 ? '' : `(${given.join(', ')})`}${directive}${below}`
  }

  #argument({ type }: GraphQLArgument): string {
    if (this.#variables.size >= 10 || !this.#random.chance(0.3)) return this.#literal(type, 3)
    const name = `v${this.#variables.size}`
    this.#variables.set(name, { type: String(type), value: this.#value(type, 3) })
    return `$${name}`
  }

  #literal(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.#literal(type.ofType, depth)
    if (this.#random.chance(0.05)) return 'null'
    if (isListType(type)) return `[${this.#several(3, () => this.#literal(type.ofType, depth - 1)).join(', ')}]`
    if (isEnumType(type)) return this.#random.pick(type.getValues()).name
    if (isInputObjectType(type))
      return `{ ${this.#inputFields(type, depth)
        .map(([name, of]) => `${name}: ${this.#literal(of, depth - 1)}`)
        .join(', ')} }`
    return type.name === 'Int' || type.name === 'Float'
      ? this.#random.pick(NUMBERS)
      : type.name === 'Boolean'
        ? String(this.#random.chance(0.5))
        : JSON.stringify(this.#random.pick(TEXTS))
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.#value(type.ofType, depth)
    if (isListType(type)) return this.#several(3, () => this.#value(type.ofType, depth - 1))
    if (isEnumType(type)) return this.#random.pick(type.getValues()).name
    if (isInputObjectType(type))
      return Object.fromEntries(this.#inputFields(type, depth).map(([name, of]) => [name, this.#value(of, depth - 1)]))
    return type.name === 'Int' || type.name === 'Float'
      ? Number(this.#random.pick(NUMBERS))
      : type.name === 'Boolean'
        ? this.#random.chance(0.5)
        : this.#random.pick(TEXTS)
  }

  #inputFields(type: GraphQLInputType, depth: number): [string, GraphQLInputType][] {
    if (!isInputObjectType(type)) return []
    return Object.values(type.getFields())
      .filter((field) => isNonNullType(field.type) || (depth > 0 && this.#random.chance(0.5)))
      .map((field) => [field.name, field.type])
  }

  /** Characters or words of it go, come or change places. */
  #mutate(text: string): string {
    let mutated = text
    for (let n = this.#random.between(1, 4); n > 0; n -= 1) {
      const at = this.#random.between(0, mutated.length)
      const to = Math.min(mutated.length, at + this.#random.between(0, 8))
      const instead = this.#random.pick([
        '',
        mutated.slice(at, to).repeat(2),
        this.#random.pick(NOISE),
        this.#random.pick(TEXTS),
      ])
      mutated = mutated.slice(0, at) + instead + mutated.slice(to)
    }
    return mutated
  }

  #deep(): string {
    const [open, inner, close] = this.#random.pick([
      ['{a', '', '}'],
      ['{ viewer ', '{ role }', '}'],
      ['{ ... ', '{ __typename }', '}'],
      ['{ session(id: "x") { turns { edges { node ', '{ id }', ' } } } }'],
      ['{ session(id: [', '1', ']) { id } }'],
      ['{ session(id: {a: ', '1', '}) { id } }'],
    ] as const)
    const depth = this.#random.between(1, this.#random.chance(0.1) ? 5000 : 60)
    if (this.#random.chance(0.7)) return open.repeat(depth) + inner + close.repeat(depth)
    const count = this.#random.between(2, 40)
    const fragments = Array.from(
      { length: count },
      (_, n) => `fragment F${n} on Session { ...F${(n + 1) % (count + 1)} ...F${n + 1} }`,
    )
    return `{ session(id: "x") { ...F0 } } ${fragments.join(' ')} fragment F${count} on Session { id }`
  }

  #introspection(): string {
    const below = (depth: number): string => {
      const field = this.#random.pick([
        'fields',
        'args',
        'type',
        'ofType',
        'possibleTypes',
        'interfaces',
        'inputFields',
        'enumValues',
      ])
      return depth === 0 ? 'name' : `name ${this.#random.chance(0.2) ? 'a: ' : ''}${field} { ${below(depth - 1)} }`
    }
    return `{ ${this.#random.pick(['__schema { types {', '__type(name: "Session") { ... {'])} ${below(this.#random.between(0, 8))} } } }`
  }

  #broken(body: string): string {
    const at = this.#random.between(0, body.length)
    return this.#random.pick([
      body.slice(0, at),
      `${body.slice(0, at)}\u0000${body.slice(at)}`,
      `[${body},${body}]`,
      JSON.stringify({ query: this.#json(2), variables: this.#json(2), extensions: this.#json(2) }),
      '['.repeat(this.#random.between(1, 20_000)),
      JSON.stringify(this.#json(3)),
      '',
    ])
  }

  #json(depth: number): unknown {
    const leaf = (): unknown => this.#random.pick([null, true, 0, -1, 1.5, 2 ** 53, '', '__proto__', ...TEXTS])
    if (depth === 0 || this.#random.chance(0.4)) return leaf()
    const items = this.#several(3, () => this.#json(depth - 1))
    return this.#random.chance(0.5)
      ? items
      : Object.fromEntries(items.map((item, n) => [`${this.#random.pick(TEXTS)}${n}`, item]))
  }

  #several<Item>(max: number, make: () => Item): Item[] {
    return Array.from({ length: this.#random.between(1, max) }, make)
  }
}
