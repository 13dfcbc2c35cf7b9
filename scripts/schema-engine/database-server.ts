/**
 * The PostgreSQL server behind a datasource URL: what must be done beside the database, from the database `postgres`.
 */
import pg from 'pg'

const CONNECT_TIMEOUT_MS = 5000

export class DatabaseServer {
  readonly #url: string | undefined

  /** `url`: undefined for commands that need no database. */
  constructor(url: string | undefined) {
    this.#url = url
  }

  /** The database that the URL names. */
  get database(): string {
    return decodeURIComponent(new URL(this.url()).pathname.slice(1))
  }

  /** The URL, or that of another database on the same server. Throws when there is no URL. */
  url(database?: string): string {
    if (this.#url === undefined) throw new Error('this command needs a database: set DATABASE_URL')
    const url = new URL(this.#url)
    if (database !== undefined) url.pathname = `/${encodeURIComponent(database)}`
    return url.href
  }

  /** Throws what the connection fails with. */
  async ping(): Promise<void> {
    await using _client = await connect(this.url())
  }

  async create(database: string): Promise<void> {
    await this.#run(`CREATE DATABASE ${pg.escapeIdentifier(database)}`)
  }

  async drop(database: string): Promise<void> {
    await this.#run(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(database)} WITH (FORCE)`)
  }

  async #run(sql: string): Promise<void> {
    await using client = await connect(this.url('postgres'))
    await client.query(sql)
  }
}

async function connect(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
