/**
 * A kind of row, declared once: who sees it, where it lies, and how it is listed. From that come the lookup of
 * `node(id:)`, the query of one by its id, the fields of events and payloads that show the row they tell of, the pages
 * of its lists, and the subscription to what becomes of such rows.
 */
import { brandWithType, type ObjectRef } from '@pothos/core'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type PrismaTypes from '../../generated/pothos-types.ts'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { idKind, type IdKind } from '../../platform/id.ts'
import type { GraphQLContext } from '../context.ts'
import type { ListChange } from '../live/notify/change-watcher.ts'
import { AUTHENTICATED, type AuthScopes } from './access.ts'
import { builder, type BuilderTypes } from './builder.ts'
import { ENTRY, listUpdate } from './list-update.ts'
import type { Row } from './paging/connection-type.ts'
import type { Page } from './paging/page.ts'
import { plainColumns, type PlainColumns } from './paging/plain-columns.ts'
import { rowPages, type ListedTable } from './paging/row-pages.ts'
import { stillThere } from './still-there.ts'
import { auditIfAbsent } from './audit-if-absent.ts'

/** The fields of objects and of interfaces. */
type Fields<Parent> = Pick<PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Parent>, 'prismaField'>
type AuthenticatedContext = GraphQLContext & { readonly viewer: NonNullable<GraphQLContext['viewer']> }

/** Of a row, as Prisma's plugin makes them of what a request selects. */
export interface Columns {
  readonly select?: object
}

/** How Prisma finds one row, too: `findUnique` loads neighbours of one tick in one statement. */
interface Table<Where> extends ListedTable<Where> {
  findUnique(args: {
    readonly select: { readonly id: true }
    readonly where: { readonly id: string }
  }): PromiseLike<Row | null>
  findFirst(args: { readonly select: { readonly id: true }; readonly where: Where }): PromiseLike<Row | null>
}

interface RowRules<Where, Connection> {
  /** What its ids are of; null: they have no prefix, as those of sessions. */
  readonly kind: IdKind | null
  readonly table: (prisma: PrismaClient) => Table<Where>
  /** The condition under which a viewer sees the row of this id. */
  readonly visible: (context: AuthenticatedContext, id: string) => Where | Promise<Where>
  /**
   * Reads the row of this id by a statement if the viewer sees it, where columns alone are selected (plain-columns.ts);
   * for what is read all the time. The condition is that of `visible`.
   */
  readonly readVisible?: (context: AuthenticatedContext, id: string, columns: PlainColumns) => Promise<Row | null>
  /** The type of its lists (connectionType, countedConnectionType): order, and cost of a page; null: there are none. */
  readonly connection: Connection
}

interface Updates {
  readonly authScopes: Partial<AuthScopes>
  readonly description: string
  readonly follow: (context: AuthenticatedContext) => AsyncIterable<ListChange>
}

type FindNode = (id: string, context: AuthenticatedContext, info: GraphQLResolveInfo) => Promise<Row | null>

const lookups = new Map<IdKind | null, FindNode>()

/** Adds a lookup for `node`: of rows by `row`, of what is no row of Prisma's by its own file. */
export function addLookup(kind: IdKind | null, find: FindNode): void {
  lookups.set(kind, find)
}

/** Null when there is none that the viewer may see. `info`: of a field of type Node, whose selection is loaded. */
export async function findNode(
  id: string,
  context: AuthenticatedContext,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const find = lookups.get(idKind(id))
  return find === undefined ? null : await find(id, context, info)
}

/** Tells GraphQL which type the row is of. */
export function brand<Found extends Row>(typeName: string, found: Found | null): Found | null {
  brandWithType(found, typeName as never)
  return found
}

/** Declares a kind of row. To be called once for each type, where the type is defined. */
export function row<
  Name extends keyof PrismaTypes,
  Where extends object,
  Connection extends ObjectRef<BuilderTypes, Page<Row>> | null,
>(typeName: Name, rules: RowRules<Where, Connection>) {
  const { kind, table, connection } = rules
  const findVisible = visibleFinder(typeName, rules)
  const findKnown = (context: GraphQLContext, columns: Columns, id: string): Row | Promise<Row> =>
    rowOf(id, columns, () => table(context.database.prisma).findUnique({ ...asIdOnly(columns), where: { id } }))

  addLookup(kind, async (id, context, info) => {
    const columns = queryFromInfo({ context, info, typeName, select: { id: true } })
    return brand(typeName, await findVisible(context, columns, id))
  })

  return {
    connection,
    ...rowPages(typeName, table),
    /** A field that shows the row whose id the parent names; NOT_FOUND when its session was deleted meanwhile. */
    field<Parent>(t: Fields<Parent>, idOf: (parent: Parent) => string, description: string) {
      return t.prismaField({
        type: typeName,
        description,
        resolve: ((query: Columns, parent: Parent, _args: unknown, context: GraphQLContext) =>
          findKnown(context, query, idOf(parent))) as never,
      })
    },
    /** The same, null where the parent names none. */
    fieldOrNull<Parent>(t: Fields<Parent>, idOf: (parent: Parent) => string | null | undefined, description: string) {
      return t.prismaField({
        type: typeName,
        nullable: true,
        description,
        resolve: ((query: Columns, parent: Parent, _args: unknown, context: GraphQLContext) => {
          const id = idOf(parent)
          return id == null ? null : findKnown(context, query, id)
        }) as never,
      })
    },
    /** The root field that gives the row of an id; null, with an audit entry, when the viewer may not see it. */
    query(fieldName: string, texts: { readonly description: string; readonly id: string }): void {
      builder.queryField(fieldName, (t) =>
        t.prismaField({
          type: typeName,
          nullable: true,
          authScopes: AUTHENTICATED,
          description: texts.description,
          args: { id: t.arg.id({ required: true, description: texts.id }) },
          resolve: ((
            query: Columns,
            _root: unknown,
            { id }: { readonly id: string },
            context: AuthenticatedContext,
            info: GraphQLResolveInfo,
          ) => auditIfAbsent(findVisible(context, query, id), { id, context, info })) as never,
        }),
      )
    },
    /** The subscription to a list of such rows; each as the subscriber sees it then. */
    updates(fieldName: string, updates: Updates): void {
      addUpdates(typeName, findVisible, { fieldName, ...updates })
    },
  }
}

type FindVisible = (context: AuthenticatedContext, columns: Columns, id: string) => Promise<Row | null>

/** Finds the row of an id, unless the viewer may not see it. */
function visibleFinder<Where extends object>(
  typeName: keyof PrismaTypes,
  { table, visible, readVisible }: Pick<RowRules<Where, unknown>, 'table' | 'visible' | 'readVisible'>,
): FindVisible {
  return async (context, columns, id) => {
    const { select } = columns
    const plain = readVisible === undefined || select === undefined ? null : plainColumns(typeName, select)
    if (readVisible !== undefined && plain !== null) return readVisible(context, id, plain)
    const where = await visible(context, id)
    return await table(context.database.prisma).findFirst({ ...asIdOnly(columns), where })
  }
}

function addUpdates(
  typeName: keyof PrismaTypes,
  findVisible: FindVisible,
  { fieldName, authScopes, description, follow }: Updates & { readonly fieldName: string },
): void {
  const type = listUpdate(typeName, authScopes)
  builder.objectField(type, `${typeName.charAt(0).toLowerCase()}${typeName.slice(1)}`, (t) =>
    t.prismaField({
      type: typeName,
      nullable: true,
      description: ENTRY,
      resolve: ((query: Columns, { id }: ListChange, _args: unknown, context: AuthenticatedContext) =>
        id === null ? null : findVisible(context, query, id)) as never,
    }),
  )
  builder.subscriptionField(fieldName, (t) =>
    t.field({
      type,
      authScopes,
      description,
      subscribe: ((_root: unknown, _args: unknown, context: AuthenticatedContext) => follow(context)) as never,
      resolve: (change) => change as ListChange,
    }),
  )
}

/** What else is selected comes along, whatever the types say: the plugin knows which columns the document needs. */
function asIdOnly(columns: Columns): { readonly select: { readonly id: true } } {
  return columns as { readonly select: { readonly id: true } }
}

/** The row as far as it is asked for. The id alone needs no read. */
function rowOf(id: string, { select = {} }: Columns, read: () => PromiseLike<Row | null>): Row | Promise<Row> {
  const columns = Object.keys(select)
  return columns.length === 1 && columns[0] === 'id' ? { id } : stillThere(Promise.resolve(read()))
}
