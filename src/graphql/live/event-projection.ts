/**
 * Events as a subscription shows them, without an execution by graphql-js for each: where it selects nothing but what
 * the schema itself declares to be properties of the event (`expose`), these are read and written as the schema says.
 *
 * No rule stands here. The first event of a type is always executed, by the rules that the schema has for it: only a
 * type of which one was shown without an error is projected, and only for those who share that execution. What has a
 * rule that may differ from event to event, an argument, a resolver or a list is left to graphql-js.
 */
import {
  getNullableType,
  GraphQLString,
  isLeafType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type ValidatedSubscriptionArgs,
} from 'graphql'
import type { LogEntry } from './log-view.ts'
import { selectedFields, type SelectedField } from './selected-fields.ts'

interface Property {
  readonly responseName: string
  readonly read: (entry: LogEntry) => unknown
  readonly type: GraphQLLeafType
  readonly isNullable: boolean
}

type Kind = LogEntry['type']

export class EventProjection {
  readonly #args: ValidatedSubscriptionArgs
  readonly #typeNameOf: (entry: LogEntry) => string
  /** Of the types that graphql-js has shown; null: it is to show them all. */
  readonly #properties = new Map<Kind, readonly Property[] | null>()
  readonly #root: SelectedField | null

  constructor(args: ValidatedSubscriptionArgs, typeNameOf: (entry: LogEntry) => string) {
    this.#args = args
    this.#typeNameOf = typeNameOf
    const rootType = args.schema.getSubscriptionType()
    const fields = rootType == null ? null : selectedFields(args, rootType, [args.operation.selectionSet])
    this.#root = fields?.length === 1 ? (fields[0] ?? null) : null
  }

  /** An event was executed, and shown without an error. */
  shown(entry: LogEntry): void {
    if (!this.#properties.has(entry.type)) this.#properties.set(entry.type, this.#propertiesOf(entry))
  }

  /** The JSON of the result; null: graphql-js is to execute it. */
  project(entry: LogEntry): string | null {
    const properties = this.#properties.get(entry.type) ?? null
    if (properties === null || this.#root === null) return null
    try {
      const shown = show(properties, entry)
      return shown === null ? null : JSON.stringify({ data: { [this.#root.responseName]: shown } })
    } catch {
      return null // a value that its type does not take: graphql-js says so
    }
  }

  #propertiesOf(entry: LogEntry): readonly Property[] | null {
    const type = this.#args.schema.getType(this.#typeNameOf(entry))
    if (this.#root === null || !isObjectType(type) || !hasOneRuleForAll(type)) return null
    const selected = selectedFields(this.#args, type, this.#root.selectionSets)
    const properties = selected?.map((field) => propertyOf(type, field)) ?? []
    return properties.length > 0 && properties.every((property) => property !== null) ? properties : null
  }
}

/** Null: something of it is not as it must be. */
function show(properties: readonly Property[], entry: LogEntry): Readonly<Record<string, unknown>> | null {
  const shown: Record<string, unknown> = {}
  for (const { responseName, read, type, isNullable } of properties) {
    const value = read(entry)
    const written = value == null ? null : type.coerceOutputValue(value)
    if (written == null && (value != null || !isNullable)) return null
    shown[responseName] = written
  }
  return shown
}

/** What Pothos keeps of how a type or field was declared. */
interface Declared {
  readonly pothosExposedField?: string
  readonly pothosOptions?: { readonly authScopes?: unknown; readonly isTypeOf?: unknown }
}

/** Who may read one object of the type may read all of them. */
function hasOneRuleForAll(type: GraphQLObjectType): boolean {
  return [type, ...type.getInterfaces()].every(({ extensions }) => {
    const { authScopes, isTypeOf } = (extensions as Declared).pothosOptions ?? {}
    return typeof authScopes !== 'function' && isTypeOf === undefined
  })
}

/** Null: it is none. */
function propertyOf(parent: GraphQLObjectType, { responseName, name }: SelectedField): Property | null {
  if (name === '__typename') return { responseName, read: () => parent.name, type: GraphQLString, isNullable: false }
  const field = parent.getFields()[name]
  const exposed = field === undefined ? null : exposedBy(field)
  if (field === undefined || exposed === null) return null
  const type = getNullableType(field.type)
  if (!isLeafType(type)) return null
  const read = (entry: LogEntry): unknown => (entry as unknown as Readonly<Record<string, unknown>>)[exposed]
  return { responseName, read, type, isNullable: !isNonNullType(field.type) }
}

function exposedBy({ args, extensions }: GraphQLField<unknown, unknown>): string | null {
  const { pothosExposedField = null, pothosOptions } = extensions as Declared
  return args.length > 0 || pothosOptions?.authScopes != null ? null : pothosExposedField
}
