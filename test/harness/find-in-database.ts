/**
 * Where in the database something is written: in any column of any table that there is, so a table that comes later is
 * searched as well. For stories in which something must be gone.
 */
import pg from 'pg'

export interface Found {
  /** Such as "messages.content"; tables of other schemas with their schema. */
  readonly column: string
  readonly value: string
}

const TABLES = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`

/** Every value, as a text, that contains one of `needles`. */
export async function findInDatabase(databaseUrl: string, needles: readonly string[]): Promise<Found[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const tables = (await client.query<{ name: string }>(TABLES)).rows
    const found: Found[] = []
    for (const { name } of tables) {
      const search = `SELECT $2 || '.' || cell.key AS column, cell.value FROM ${name} r, jsonb_each_text(to_jsonb(r)) cell
        WHERE EXISTS (SELECT 1 FROM unnest($1::text[]) needle WHERE strpos(cell.value, needle) > 0)`
      const shown = name.replace(/^public\./, '')
      found.push(...(await client.query<Found>(search, [needles, shown])).rows)
    }
    return found
  } finally {
    await client.end()
  }
}

/** The columns in which something was found, each once. */
export function columnsOf(found: readonly Found[]): string[] {
  return [...new Set(found.map(({ column }) => column))].sort()
}
