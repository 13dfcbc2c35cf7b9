/** A page of a connection, from the rows that were read for it. */
import { encodeCursor, type CursorKind, type Position } from './cursor.ts'
import type { PageRequest } from './page-request.ts'

export interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

export interface Edge<Row> {
  readonly cursor: string
  readonly node: Row
}

export interface Page<Row> {
  readonly edges: readonly Edge<Row>[]
  readonly pageInfo: PageInfo
}

/**
 * `rows` are at most `request.size + 1`, in the order in which they were read: the list's own, or reversed for `last`.
 * There is a page on the near side whenever a cursor was given: its row stands there (or stood there when it was handed
 * out).
 */
export function toPage<Row, K extends CursorKind>(
  kind: K,
  request: PageRequest<K>,
  rows: readonly { readonly position: Position<K>; readonly node: Row }[],
): Page<Row> {
  const kept = rows.slice(0, request.size)
  if (request.fromEnd) kept.reverse()
  const edges = kept.map(({ position, node }) => ({ cursor: encodeCursor(kind, position), node }))
  const more = rows.length > request.size
  return {
    edges,
    pageInfo: {
      hasNextPage: request.fromEnd ? request.before !== null : more,
      hasPreviousPage: request.fromEnd ? more : request.after !== null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}
