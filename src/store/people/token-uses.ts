/** When tokens were last used: written every few seconds for all that were used since, never with a request. */
import type { Database, Statement } from '../database.ts'

const NOTE: Statement = {
  name: 'people.token-uses',
  text: `INSERT INTO token_uses AS u (token_name, last_used_at)
    SELECT n.name, n.at FROM unnest($1::text[], $2::timestamptz[]) AS n (name, at) ORDER BY n.name
    ON CONFLICT (token_name) DO UPDATE SET last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
}

/** By token's name. Rejects with DATABASE_UNAVAILABLE; on repeat nothing is lost. */
export async function noteTokenUses(database: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size > 0) await database.query(NOTE, [[...uses.keys()], [...uses.values()]])
}

/** UTC; `lastUsedAt` is null until the first use, and behind by some seconds. */
export interface TokenDates {
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

const DATES: Statement = {
  name: 'people.token-dates',
  text: `SELECT t.name, t.created_at AS "createdAt", u.last_used_at AS "lastUsedAt"
    FROM tokens t LEFT JOIN token_uses u ON u.token_name = t.name WHERE t.name = ANY ($1::text[])`,
}

/**
 * When tokens were made and last used: for people to read, never to decide by.
 * By name.
 */
export async function readTokenDates(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, TokenDates>> {
  const rows = await database.query<TokenDates & { name: string }>(DATES, [names])
  return new Map(rows.map(({ name, ...dates }) => [name, dates]))
}
