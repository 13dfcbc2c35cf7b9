/**
 * Reads all that a caller is shown: every field of every node that can be reached, made from the schema itself, so that
 * a field that comes later is read as well. Fields that want arguments are left out.
 */
import {
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

/** A text, and the field that shows it: "Task.stderr". */
export interface ShownText {
  readonly field: string
  readonly text: string
}

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string }[]
}

export interface EverythingOptions {
  readonly schema: GraphQLSchema
  readonly ask: (query: string) => Promise<Answer>
  /** From which nodes to go on, besides those of the root fields. */
  readonly ids: readonly string[]
}

/** How many fields below that of a node, where no node is in between. */
const DEPTH = 6
/** Of a connection: few, where many would cost too much. */
const PAGE = 20

export async function readEverything({ schema, ask, ids }: EverythingOptions): Promise<ShownText[]> {
  const shown: ShownText[] = []
  const waiting: { id: string; type: string }[] = []
  const seen = new Set<string>()
  const add = (id: string, type: string): void => {
    if (!seen.has(id)) waiting.push({ id, type })
    seen.add(id)
  }
  const read = async (field: string, query: string): Promise<unknown> => {
    const { data, errors = [] } = await ask(query)
    for (const { message } of errors) shown.push({ field: `${field} (error)`, text: message })
    collect(data, field, { add, shown })
    return data
  }

  /** With all pages of a connection. */
  const readField = async (type: string, field: Field, around: (inner: string) => string): Promise<void> => {
    for (let after: string | null = ''; after !== null;) {
      const data = await read(`${type}.${field.name}`, around(select(schema, field, { depth: DEPTH, after })))
      after = nextPage(data, field.name)
    }
  }

  for (const field of readable(schema.getQueryType())) await readField('Query', field, (inner) => `{ ${inner} }`)
  for (const id of ids) await read('Query.node', `{ node(id: ${JSON.stringify(id)}) { __typename id } }`)
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    const { id, type } = node
    const around = (inner: string): string =>
      `{ node(id: ${JSON.stringify(id)}) { ... on ${type} { __typename ${inner} } } }`
    const fields = readable(schema.getType(type))
    const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)))
    await read(type, around(leaves.map(({ name }) => name).join(' ')))
    await Promise.all(fields.filter((field) => !leaves.includes(field)).map((field) => readField(type, field, around)))
  }
  return shown
}

/** Behind which cursor the field of an answer goes on; null: nowhere. */
function nextPage(data: unknown, name: string): string | null {
  const { node, ...root } = (data ?? {}) as Record<string, Record<string, unknown> | null>
  const field = (node ?? root)[name] as { pageInfo?: { hasNextPage?: boolean; endCursor?: string } } | null | undefined
  return field?.pageInfo?.hasNextPage === true ? (field.pageInfo.endCursor ?? null) : null
}

interface Collected {
  readonly add: (id: string, type: string) => void
  readonly shown: ShownText[]
}

/** Every text of an answer, with the field next above it, and every node. */
function collect(value: unknown, field: string, into: Collected): void {
  if (typeof value === 'string') into.shown.push({ field, text: value })
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) return value.forEach((part) => collect(part, field, into))
  const { __typename: type, id } = value as { __typename?: string; id?: unknown }
  if (typeof id === 'string' && type !== undefined) into.add(id, type)
  for (const [name, part] of Object.entries(value)) {
    if (name === '__typename') continue
    collect(part, type === undefined ? `${field}.${name}` : `${type}.${name}`, into)
  }
}

type Field = GraphQLField<unknown, unknown>

function readable(type: GraphQLNamedType | null | undefined): Field[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).filter(
    ({ args }) => !args.some((argument) => isNonNullType(argument.type) && argument.defaultValue === undefined),
  )
}

interface Extent {
  readonly depth: number
  /** For a connection: the cursor behind which it begins. */
  readonly after?: string
}

/** The field with all below it, as far as other nodes. */
function select(schema: GraphQLSchema, field: Field, { depth, after = '' }: Extent): string {
  const has = (wanted: string): boolean => field.args.some(({ name }) => name === wanted)
  const behind = after === '' || !has('after') ? '' : ` after: ${JSON.stringify(after)}`
  const head = has('first') ? `${field.name}(first: ${PAGE}${behind})` : field.name
  const type = getNamedType(field.type)
  return isLeafType(type) ? head : `${head} { ${selection(schema, type, depth)} }`
}

function selection(schema: GraphQLSchema, type: GraphQLNamedType, depth: number): string {
  if (isAbstractType(type)) {
    const members = schema.getPossibleTypes(type)
    const parts = members.map((member) => `... on ${member.name} { ${selection(schema, member, depth)} }`)
    return ['__typename', ...(type.name === 'Node' ? ['id'] : parts)].join(' ')
  }
  if (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')) return '__typename id'
  const fields = readable(type).filter((field) => depth > 1 || isLeafType(getNamedType(field.type)))
  return ['__typename', ...fields.map((field) => select(schema, field, { depth: depth - 1 }))].join(' ')
}
