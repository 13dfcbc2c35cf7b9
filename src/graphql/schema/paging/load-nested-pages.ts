/**
 * A connection below a list, of sessions or facts: the pages of all of them in two statements, whatever their number.
 * Prisma reads all children of all parents to cut pages in memory, so the first statement finds the ids of each page by
 * index (LATERAL), and Prisma then loads just these rows with the columns and relations that the document selects.
 * Where it selects nothing but columns, the first statement reads them along.
 */
import type { CursorKind, Position } from './cursor.ts'
import type { Row } from './connection-type.ts'
import type { PageRequest } from './page-request.ts'
import { toPage, type Page } from './page.ts'

/** A row of a page: the id of the session or fact whose list it is in, and its own. */
export interface ChildKey {
  readonly parent_id: string
  readonly id: string
}

export interface NestedList<K extends CursorKind, Key extends ChildKey> {
  readonly kind: K
  readonly request: PageRequest<K>
  /** Up to `request.size + 1` keys of each parent, in reading order. */
  readonly readKeys: (parentIds: readonly string[]) => Promise<readonly Key[]>
  readonly position: (key: Key) => Position<K>
  /** Null: the keys are the rows. */
  readonly loadRows: ((ids: string[]) => Promise<readonly Row[]>) | null
}

/** The page of every parent in `parentIds`; empty pages too. */
export async function loadNestedPages<K extends CursorKind, Key extends ChildKey>(
  list: NestedList<K, Key>,
  parentIds: readonly string[],
): Promise<Map<string, Page<Row>>> {
  const keys = await list.readKeys(parentIds)
  const rows = keys.length === 0 || list.loadRows === null ? keys : await list.loadRows(keys.map((key) => key.id))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  const children = new Map(parentIds.map((id) => [id, [] as { position: Position<K>; node: Row }[]]))
  for (const key of keys) {
    const node = rowById.get(key.id)
    // Gone between the two statements: its session was deleted.
    if (node !== undefined) children.get(key.parent_id)?.push({ position: list.position(key), node })
  }
  return new Map([...children].map(([id, found]) => [id, toPage(list.kind, list.request, found)]))
}
