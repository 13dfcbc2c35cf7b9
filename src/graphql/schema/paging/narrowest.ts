/**
 * The one decision behind lists of what is in sessions: where the matching sessions are few, they are looked up, each
 * by its id; where they are many, the list is walked from its new end, and the page is soon full. PostgreSQL cannot
 * know which: how many rows a name has is a guess from an average, and the wrong way round takes a thousand times as
 * long.
 */
import { must } from '../../../platform/must.ts'
import type { Database } from '../../../store/database.ts'

/** More sessions than this are many: looking these up takes a few milliseconds. */
const FEW = 2000

/** Sessions that an index finds: a SELECT of their ids as `id`, with one parameter. */
export interface Narrowing {
  readonly sql: (parameter: string) => string
  readonly value: string | readonly string[]
}

/** Those in which this user participates. */
export function sessionsWith(userName: string): Narrowing {
  return {
    sql: (parameter) => `SELECT session_id AS id FROM participants WHERE user_name = ${parameter}::text`,
    value: userName,
  }
}

/** Those whose description is LIKE this pattern, whatever the case, the width and the accents of its letters. */
export function sessionsDescribed(pattern: string): Narrowing {
  return {
    sql: (parameter) =>
      `SELECT session_id AS id FROM session_descriptions WHERE description LIKE search_plain(${parameter}::text)`,
    value: pattern,
  }
}

/** Those whose metadata has this short text under this key. */
export function sessionsLabelled(key: string, text: string): Narrowing {
  return {
    sql: (parameter) =>
      `SELECT session_id AS id FROM session_labels WHERE (key, value) = ((${parameter}::text[])[1], (${parameter}::text[])[2])`,
    value: [key, text],
  }
}

/** The one with the fewest sessions; null when all have many, or there is none. */
export async function findNarrowest(database: Database, narrowings: readonly Narrowing[]): Promise<Narrowing | null> {
  if (narrowings.length === 0) return null
  const counts = narrowings.map(
    ({ sql }, index) => `(SELECT count(*)::int FROM (${sql(`$${index + 1}`)} LIMIT ${FEW + 1}) few)`,
  )
  const text = `SELECT ARRAY[${counts.join(', ')}] AS counts`
  const values = narrowings.map(({ value }) => value)
  // Not prepared: which plan is best depends on the values.
  const [row] = await database.query<{ counts: number[] }>({ name: '', text }, values)
  const found = must(row, 'a SELECT without FROM has a row').counts
  const least = Math.min(...found)
  return least > FEW ? null : (narrowings[found.indexOf(least)] ?? null)
}
