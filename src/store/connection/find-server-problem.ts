/** What a PostgreSQL and a database must be for Factotum to use them, and what to do about those that are not. */
import type pg from 'pg'

interface ServerProblem {
  readonly says: string
  readonly fix: string
}

interface Facts {
  readonly number: number
  readonly version: string
  readonly encoding: string
  /** Where tables are created; null: nowhere. */
  readonly schema: string | null
}

const OLDEST_SERVER = 150_000
const FACTS = `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
  current_setting('server_encoding') AS encoding, current_schema() AS schema`

/** Null: it can be used. Changes nothing. */
export async function findServerProblem(db: pg.Client): Promise<ServerProblem | null> {
  const [facts] = (await db.query<Facts>(FACTS)).rows
  if (facts === undefined) return null
  const { number, version, encoding, schema } = facts
  if (number < OLDEST_SERVER)
    return {
      says: `The server behind DATABASE_URL is PostgreSQL ${version}; Factotum needs 15 or newer.`,
      fix: 'Upgrade it, or unset DATABASE_URL to use the embedded one.',
    }
  if (encoding !== 'UTF8')
    return {
      says: `The encoding of the database is ${encoding}; Factotum needs UTF8.`,
      fix: `Create another one: CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0.`,
    }
  // Prisma reads "public", whatever the path.
  if (schema !== 'public')
    return {
      says: `Tables would be created in ${schema === null ? 'no schema' : `the schema "${schema}"`}, and Factotum needs "public".`,
      fix: 'Let the search_path of the user in DATABASE_URL begin with it: ALTER ROLE … SET search_path = public.',
    }
  return null
}
