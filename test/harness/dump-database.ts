/** What the database holds, for tests that search it for what must not be there. */
import pg from 'pg'

/** Every table as text, a line for each row. */
export async function dumpDatabase(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    )
    const dumps: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`SELECT row_to_json(x)::text AS row FROM ${name} x`)
      dumps.push(...rows.map(({ row }) => `${name}: ${row}`))
    }
    return dumps.join('\n')
  } finally {
    await client.end()
  }
}
