/**
 * For comparing schema files with each other, which needs no database. The engine asks for the server's version all the
 * same, because the SQL depends on it; it hears of the oldest one that we support.
 */
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils'

const VERSION: SqlResultSet = {
  columnNames: ['exists', 'version', 'numeric_version'],
  columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
  rows: [[true, 'PostgreSQL 15.0', 150_000]],
}
const NOTHING: SqlResultSet = { columnNames: [], columnTypes: [], rows: [] }

const adapter: SqlDriverAdapter = {
  provider: 'postgres',
  adapterName: 'offline',
  queryRaw: ({ sql }) => Promise.resolve(/version\(\)/.test(sql) ? VERSION : NOTHING),
  executeRaw: refuse,
  executeScript: refuse,
  startTransaction: refuse,
  getConnectionInfo: () => ({ schemaName: 'public', supportsRelationJoins: true }),
  dispose: () => Promise.resolve(),
}

export const offlineAdapters: SqlMigrationAwareDriverAdapterFactory = {
  provider: 'postgres',
  adapterName: 'offline',
  connect: () => Promise.resolve(adapter),
  connectToShadowDb: () => Promise.resolve(adapter),
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('comparing schema files must not touch a database'))
}
