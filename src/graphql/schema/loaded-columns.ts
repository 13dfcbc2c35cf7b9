/**
 * Pothos asks for each field of each row whether a plan has loaded what the field selects: of a page of rows that is
 * more work than all else that is done with them. Where the row holds the columns, the plan need not be asked.
 */
import {
  isLeafType,
  getNamedType,
  isObjectType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql'

type Resolver = GraphQLFieldResolver<unknown, unknown>

/** What Pothos keeps of how a field was declared. */
interface Declared {
  readonly resolve?: Resolver
  readonly pothosOptions?: { readonly authScopes?: unknown }
  readonly extensions?: { readonly pothosPrismaSelect?: unknown }
}

/** Once per schema: values of rows that hold what they select are resolved without asking the plan. */
export function readLoadedColumns(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isObjectType(type)) for (const field of Object.values(type.getFields())) readLoaded(field)
  }
  return schema
}

/** A field with a rule of its own keeps all that Pothos has put around it. */
function readLoaded(field: GraphQLField<unknown, unknown>): void {
  const { resolve: declared, pothosOptions, extensions } = (field.extensions['pothosConfig'] ?? {}) as Declared
  const columns = columnsOf(extensions?.pothosPrismaSelect)
  const { resolve: planned } = field
  if (columns === null || declared === undefined || planned === undefined) return
  // What leads to further rows has Pothos note which plan has loaded them.
  if (!isLeafType(getNamedType(field.type)) || pothosOptions?.authScopes != null) return
  field.resolve = (...call) => (holds(call[0], columns) ? declared(...call) : planned(...call))
}

/** Null: it is not plain columns alone that are selected. */
function columnsOf(select: unknown): readonly string[] | null {
  if (typeof select !== 'object' || select === null) return null
  return Object.values(select).every((value) => value === true) ? Object.keys(select) : null
}

/** An empty column is null, what was not loaded is not there. */
function holds(row: unknown, columns: readonly string[]): boolean {
  for (const column of columns) if ((row as Readonly<Record<string, unknown>>)[column] === undefined) return false
  return true
}
