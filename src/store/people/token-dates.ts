/** When tokens were made and last used: for people to read, never to decide by. */
import type { Database, Statement } from '../database.ts'

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

/** By name. */
export async function readTokenDates(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, TokenDates>> {
  const rows = await database.query<TokenDates & { name: string }>(DATES, [names])
  return new Map(rows.map(({ name, ...dates }) => [name, dates]))
}
