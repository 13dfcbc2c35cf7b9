/** Lists that say how many they hold, for badges: counted only when it is asked for, and only so far. */
import type { InterfaceRef, ObjectRef } from '@pothos/core'
import { must } from '../../../platform/must.ts'
import type { Database } from '../../../store/database.ts'
import { builder, type BuilderTypes } from '../builder.ts'
import { connectionType, type Row } from './connection-type.ts'
import type { CursorKind } from './cursor.ts'
import type { PageRequest } from './page-request.ts'
import type { Page } from './page.ts'

/** Counting ends here: a badge shows no more, and counting the rows of years would take as long as reading them. */
export const MAX_COUNTED = 1000

export interface CountedPage<Node> extends Page<Node> {
  /** Of the whole list, by the condition that the page was read with; at most MAX_COUNTED. */
  readonly totalCount: () => Promise<number>
}

/** As connectionType, with `totalCount`. */
export function countedConnectionType(
  node: ObjectRef<BuilderTypes, Row> | InterfaceRef<BuilderTypes, Row>,
  order: string,
): ObjectRef<BuilderTypes, CountedPage<Row>> {
  const type = connectionType<CountedPage<Row>>(node, order)
  builder.objectField(type, 'totalCount', (t) =>
    t.field({
      type: 'Count',
      description:
        `How many the list holds for you with its filter, on whatever page: exact below ${MAX_COUNTED}; ` +
        `${MAX_COUNTED} is that many or more. Counted only when it is asked for.`,
      resolve: (page) => page.totalCount(),
    }),
  )
  return type
}

/** A SELECT of the ids of a page. */
export interface IdQuery {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A page is read with one row more than its size. */
const size = MAX_COUNTED - 1
/** Asks for the ids that are counted. */
export const COUNTED_PAGE: PageRequest<CursorKind> = { size, fromEnd: false, after: null, before: null }

/** How many ids such a SELECT finds; it is that of the page itself, so the two cannot differ. */
export async function countIds(database: Database, { text, values }: IdQuery): Promise<number> {
  // Not prepared: which plan is best depends on the values.
  const counted = { name: '', text: `SELECT count(*)::int AS count FROM (${text}) counted` }
  const [row] = await database.query<{ count: number }>(counted, values)
  return must(row, 'a count is one row').count
}
