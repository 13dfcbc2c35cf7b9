/** The end of what a task has printed: a page that shows the last lines of a long output need not read all of it. */
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import type { Statement } from '../../../store/database.ts'
import { loadAt } from '../paging/load-at.ts'
import { badUserInput } from '../values/bad-user-input.ts'

type Column = 'output' | 'stderr'

/** A character has a byte at least, so the database gives enough; the rest is cut off here. */
const ENDS: Readonly<Record<Column, Statement>> = {
  output: endsOf('output'),
  stderr: endsOf('stderr'),
}

function endsOf(column: Column): Statement {
  return {
    name: `ends-of-${column}`,
    text: `SELECT id, right(${column}, $2) AS text FROM tasks WHERE id = ANY ($1::text[]) AND ${column} IS NOT NULL`,
  }
}

/** Null where nothing was printed. Throws BAD_USER_INPUT for less than one byte. */
export async function readEnd(
  taskId: string,
  { column, bytes }: { readonly column: Column; readonly bytes: number },
  { context, info }: { readonly context: GraphQLContext; readonly info: GraphQLResolveInfo },
): Promise<string | null> {
  if (bytes < 1) throw badUserInput(`"last" must be 1 or more; it is ${bytes}.`)
  const found = await loadAt({ context, info }, taskId, async (ids) => {
    const rows = await context.database.query<{ id: string; text: string }>(ENDS[column], [ids, bytes])
    return new Map(rows.map(({ id, text }) => [id, endOf(text, bytes)]))
  })
  return found ?? null
}

/** The last `bytes` of a text in UTF-8, without the half of a character at its beginning. */
export function endOf(text: string, bytes: number): string {
  const all = Buffer.from(text)
  let from = Math.max(0, all.length - bytes)
  while (from < all.length && isContinuation(all.readUInt8(from))) from += 1
  return all.toString('utf8', from)
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

/** A column that the row has where it was selected. */
export function textOf(task: { readonly [Key in Column]?: string | null }, column: Column): string | null {
  return task[column] ?? null
}
