/**
 * Pages of one kind of row, in two steps (docs/decisions/0008-lists-in-two-steps.md): which ids, then their rows as the
 * document selects them. Made for each kind by `row`.
 */
import type { GraphQLResolveInfo } from 'graphql'
import type { PrismaClient } from '../../../generated/prisma/client.ts'
import { must } from '../../../platform/must.ts'
import type { GraphQLContext } from '../../context.ts'
import type { Row } from './connection-type.ts'
import { MAX_COUNTED, type CountedPage } from './counted.ts'
import type { CursorKind, Position } from './cursor.ts'
import { loadAt } from './load-at.ts'
import { loadInOrder } from './load-in-order.ts'
import { loadNestedPages, type ChildKey } from './load-nested-pages.ts'
import { readPageRequest, type PageArguments, type PageRequest } from './page-request.ts'
import { toPage, type Page } from './page.ts'
import { plainColumns, type ModelName, type PlainColumns } from './plain-columns.ts'
import { selectNodes } from './select-nodes.ts'

/** How Prisma finds rows and counts them. */
export interface ListedTable<Where> {
  findMany(args: {
    readonly select: { readonly id: true }
    readonly where: Where
    readonly orderBy?: { readonly id: 'asc' | 'desc' }
    readonly take?: number
  }): PromiseLike<Row[]>
  count(args: { readonly where: Where; readonly take: number }): PromiseLike<number>
}

/** Where a list is resolved, with its paging arguments. */
export interface ListPlace<K extends CursorKind> {
  readonly cursor: K
  readonly args: PageArguments
  readonly context: GraphQLContext
  readonly info: GraphQLResolveInfo
}

/** The keys of a page, at most `request.size + 1` in reading order, and where the row of each stands in the list. */
interface Keys<K extends CursorKind, Key> {
  readonly read: (request: PageRequest<K>) => Promise<readonly Key[]>
  readonly position: (key: Key) => Position<K>
}

/** The same of many lists, each below a row of its own. */
interface NestedKeys<K extends CursorKind, Key> {
  /** `columns`: of the rows, which are then to be read with their keys (plain-columns.ts); null: the keys alone. */
  readonly read: (
    request: PageRequest<K>,
    parentIds: readonly string[],
    columns: PlainColumns | null,
  ) => Promise<readonly Key[]>
  /** Whether `read` reads the rows, too, where it is given their columns. */
  readonly readsRows?: true
  readonly position: (key: Key) => Position<K>
}

/** Lists whose cursors hold an id. */
type IdCursor = { [K in CursorKind]: Position<K> extends [string] ? K : never }[CursorKind]

const ID = { id: true } as const

/** What `row` gives for the lists of its rows. All throw BAD_USER_INPUT for paging arguments that are none. */
export function rowPages<Where extends object>(
  typeName: ModelName,
  table: (prisma: PrismaClient) => ListedTable<Where>,
) {
  const loader = (place: ListPlace<CursorKind>, query = selectNodes(place, typeName, ID)) => {
    // Prisma's types of `where` differ from table to table; each has an id.
    return async (ids: string[]) =>
      await table(place.context.database.prisma).findMany({ ...query, where: { id: { in: ids } } as unknown as Where })
  }

  return {
    /** The rows that meet a condition, by id, which is by time of creation; with their number. */
    async byId(place: ListPlace<IdCursor>, where: Where, oldestFirst = false): Promise<CountedPage<Row>> {
      const request = readPageRequest(place.cursor, place.args, place.info)
      const rows = table(place.context.database.prisma)
      const { between, orderBy } = stretchOf(request, oldestFirst)
      const found = await rows.findMany({
        ...selectNodes(place, typeName, ID),
        where: { AND: [where, ...between] } as unknown as Where,
        orderBy,
        take: request.size + 1,
      })
      const placed = found.map((node) => ({ node, position: [node.id] as [string] }))
      const totalCount = async (): Promise<number> => await rows.count({ where, take: MAX_COUNTED })
      return { ...toPage(place.cursor, request, placed), totalCount }
    },

    /** Those whose keys a statement finds. */
    async ofKeys<K extends CursorKind, Key extends Row>(place: ListPlace<K>, keys: Keys<K, Key>): Promise<Page<Row>> {
      const request = readPageRequest(place.cursor, place.args, place.info)
      const rows = await loadInOrder(await keys.read(request), loader(place))
      const placed = rows.map(({ key, node }) => ({ node, position: keys.position(key) }))
      return toPage(place.cursor, request, placed)
    },

    /** The list below one row: those of all its neighbours are found by one statement. */
    async below<K extends CursorKind, Key extends ChildKey>(
      place: ListPlace<K>,
      parentId: string,
      { read, position, readsRows }: NestedKeys<K, Key>,
    ): Promise<Page<Row>> {
      const request = readPageRequest(place.cursor, place.args, place.info)
      const query = selectNodes(place, typeName, ID)
      const columns = readsRows === true ? plainColumns(typeName, query.select) : null
      const list = {
        kind: place.cursor,
        request,
        readKeys: (ids: readonly string[]) => read(request, ids, columns),
        position,
        loadRows: columns === null ? loader(place, query) : null,
      }
      const page = await loadAt(place, parentId, (parentIds) => loadNestedPages(list, parentIds))
      return must(page, 'every parent has a page')
    },
  }
}

/** The condition for what stands between two cursors, and the order in which it is read. */
function stretchOf({ after, before, fromEnd }: PageRequest<IdCursor>, oldestFirst: boolean) {
  const [later, earlier] = oldestFirst ? [after, before] : [before, after]
  const between = [
    ...(later === null ? [] : [{ id: { gt: later[0] } }]),
    ...(earlier === null ? [] : [{ id: { lt: earlier[0] } }]),
  ]
  return { between, orderBy: { id: oldestFirst === fromEnd ? 'desc' : 'asc' } as const }
}
