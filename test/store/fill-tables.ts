/**
 * Rows in every table that grows with use, as years of use leave them: what has ended is over, nothing is due. Written
 * past the server, without its triggers and keys; columns that may be empty are.
 */
import type pg from 'pg'

/** Tables that stay small: one row, or one for each process, plugin or label of an operator. */
const SMALL_TABLES: ReadonlySet<string> = new Set(
  `_prisma_migrations nodes plugins plugin_state people_state consolidation_state checkpoint_state embedding_state
   user_aliases users tokens model_forms`.split(/\s+/),
)
/** What is due, or under way: made and removed again. */
const WAITING_TABLES: ReadonlySet<string> = new Set(
  'checkpoints curation_jobs embedding_jobs publishing_files fact_term_changes'.split(' '),
)

/** How things end. */
const ENDS = ['DONE', 'APPROVED', 'RESOLVED', 'ACCEPTED', 'PROMOTED', 'DELIVERED', 'IDLE']

/** Where no value of the column's type will do. */
const VALUES: Readonly<Record<string, string>> = {
  'opened_sessions.session_id': `'cli:filled' || n`,
  'model_call_texts.system': `'s'`,
  'fact_embeddings.sketch': `B'0'::bit(1024)`,
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly labels: readonly string[] | null
}

const COLUMNS = `SELECT c.table_name::text AS table, c.column_name::text AS name, c.udt_name::text AS type,
    (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
      WHERE t.typname = c.udt_name) AS labels
  FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.is_identity = 'NO' AND c.is_generated = 'NEVER'
    AND (c.udt_name LIKE '%\\_status' OR (c.is_nullable = 'NO' AND c.column_default IS NULL)
      OR c.table_name || '.' || c.column_name = ANY ($1))
  ORDER BY 1, c.ordinal_position`

/** Returns the tables that have `count` rows now. */
export async function fillTables(client: pg.Client, count: number): Promise<string[]> {
  const { rows } = await client.query<Column>(COLUMNS, [Object.keys(VALUES)])
  const tables = [...Map.groupBy(rows, ({ table }) => table)].filter(
    ([table]) => !SMALL_TABLES.has(table) && !WAITING_TABLES.has(table),
  )
  await client.query('SET session_replication_role = replica')
  for (const [table, columns] of tables)
    await client.query(
      `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(', ')})
       SELECT ${columns.map(valueOf).join(', ')} FROM generate_series(1, ${count}) n`,
    )
  await client.query('SET session_replication_role = origin')
  await client.query('ANALYZE')
  return tables.map(([table]) => table)
}

function valueOf({ table, name, type, labels }: Column): string {
  const own = VALUES[`${table}.${name}`]
  if (own !== undefined) return own
  if (labels !== null) return `'${ENDS.find((end) => labels.includes(end)) ?? labels.at(-1)}'::${type}`
  if (name === 'session_id') return `'cli:filled' || n`
  if (table === 'sessions' && name === 'id') return `'cli:filled' || n`
  if (type === 'text') return `'${name} ' || md5(n::text)`
  if (type.startsWith('timestamp') || type === 'date') return `now() - n * interval '1 hour'`
  if (type === 'bool') return 'true'
  if (type === 'jsonb') return `'{}'::jsonb`
  if (type.startsWith('_')) return `'{}'::${type}`
  if (type === 'bytea') return `sha256(n::text::bytea)`
  return `n::text::${type}`
}
