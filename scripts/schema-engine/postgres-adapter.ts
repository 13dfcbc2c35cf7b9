/**
 * How the engine talks to PostgreSQL: through @prisma/adapter-pg, with two of its faults put right (both matter only
 * here, not for Prisma Client), and with shadow databases: empty ones in which the engine replays the migrations to see
 * what they amount to.
 */
import { randomUUID } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import pg from 'pg'
import type { DatabaseServer } from './database-server.ts'

/** PostgreSQL's type "char", one byte, of which its catalogs are full; and `text`. */
const CHAR_OID = 18
const TEXT_OID = 25

export class PostgresAdapterFactory implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres'
  readonly adapterName = '@prisma/adapter-pg'
  readonly #server: DatabaseServer
  readonly #shadows = new Set<string>()

  constructor(server: DatabaseServer) {
    this.#server = server
  }

  async connect(): Promise<SqlDriverAdapter> {
    return await openAdapter(this.#server.url())
  }

  async connectToShadowDb(): Promise<SqlDriverAdapter> {
    const name = `prisma_shadow_${randomUUID()}`
    this.#shadows.add(name)
    await this.#server.create(name)
    const adapter = await openAdapter(this.#server.url(name))
    return {
      ...adapter,
      dispose: async () => {
        await adapter.dispose()
        await this.#dropShadow(name)
      },
    }
  }

  /** Those that the engine did not dispose of. */
  async dropShadows(): Promise<void> {
    await Promise.all([...this.#shadows].map((name) => this.#dropShadow(name)))
  }

  async #dropShadow(name: string): Promise<void> {
    if (this.#shadows.delete(name)) await this.#server.drop(name)
  }
}

async function openAdapter(connectionString: string): Promise<SqlDriverAdapter> {
  const pool = new pg.Pool({ connectionString, max: 2 })
  const charColumns = relabelChars(pool)
  const adapter = await new PrismaPg(pool, { disposeExternalPool: true }).connect()
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    executeRaw: (query) => adapter.executeRaw(query),
    startTransaction: (isolationLevel) => adapter.startTransaction(isolationLevel),
    getConnectionInfo: () => adapter.getConnectionInfo(),
    dispose: () => adapter.dispose(),
    queryRaw: async (query) => {
      const result = await adapter.queryRaw(query)
      for (const column of charColumns.get(result.rows) ?? []) result.columnTypes[column] = ColumnTypeEnum.Character
      return result
    },
    // The adapter cuts scripts at every ';', also within strings and function bodies. Without arguments, PostgreSQL
    // takes them whole.
    executeScript: async (sql) => void (await adapter.executeRaw({ sql, args: [], argTypes: [] })),
  }
}

/**
 * The adapter fails on columns of type "char", which it does not know. Results reach it with these columns labelled as
 * text; the map tells, by a result's rows, which columns they were.
 */
function relabelChars(pool: pg.Pool): WeakMap<object, number[]> {
  const charColumns = new WeakMap<object, number[]>()
  const query = pool.query.bind(pool) as (config: pg.QueryArrayConfig) => Promise<pg.QueryArrayResult>
  const relabelled = async (config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> => {
    const result = await query(config)
    const fields = result.fields ?? [] // none where a script gave several results
    const columns = fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []))
    if (columns.length > 0) charColumns.set(result.rows, columns)
    for (const field of fields) if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID
    return result
  }
  pool.query = relabelled as typeof pool.query
  return charColumns
}
