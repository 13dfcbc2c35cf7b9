/** The audit goes on in a restored database, also when a command writes to it before a server starts. */
import { PassThrough, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { AuditSealer } from '../../src/audit/audit-sealer.ts'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import { loginCommand } from '../../src/people/login-command.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import { Database } from '../../src/store/database.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { runSessionCommand } from '../../src/transfer/session-command.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { exportedSession } from './exported-session.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const print = (): void => undefined

async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

/** From which number transactions go on. */
function numberFrom(url: string, first: number): Promise<void> {
  return execute(
    url,
    `CREATE OR REPLACE FUNCTION audit_txid(transaction xid8) RETURNS bigint LANGUAGE sql STABLE
      AS 'SELECT transaction::text::bigint + ${first}'`,
  )
}

async function withDatabase<Result>(url: string, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = new Database({ url, maxConnections: 2, logger })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A server that seals what there is. */
async function seal(database: Database): Promise<void> {
  const sealer = new AuditSealer({ database, clock, logger, metrics: createMetrics(), onSealed: () => undefined })
  await sealer.start()
  const text = `SELECT 1 FROM audit_entries WHERE txid >= audit_txid(pg_snapshot_xmin(pg_current_snapshot())) LIMIT 1`
  // Transactions of other databases hold sealing back as well.
  while ((await database.query({ name: '', text }, [])).length > 0) await setImmediate()
  await sealer.stop()
}

/** With an entry that is sealed, and numbered far above what a new server begins with. */
async function sealedFarAbove(): Promise<TestDatabase> {
  const place = await createTestDatabase()
  await numberFrom(place.url, 1_000_000_000)
  const body = { kind: 'CONFIG', change: 'RELOADED', detail: 'before' } as const
  await withDatabase(place.url, async (database) => {
    await appendAudit(database, [
      { at: clock.now(), sessionId: null, turnId: null, actor: null, tokenName: null, body },
    ])
    await seal(database)
  })
  await execute(
    place.url,
    `INSERT INTO users (id, name, role, all_skills, declared, created_at) VALUES ('u', 'ada', 'ADMIN', true, false, now());
      INSERT INTO tokens (id, name, sha256, kind, user_name, declared, created_at)
        VALUES ('t', 'ada-token', '\\x00', 'USER', 'ada', false, now())`,
  )
  return place
}

const importSession = (databaseUrl: string): Promise<void> => {
  const [lines = []] = fc.sample(exportedSession, { numRuns: 1, seed: 1 })
  const input = Readable.from(lines.map((line) => Buffer.from(`${JSON.stringify(line)}\n`)))
  const action = { do: 'import', file: null, as: null } as const
  return runSessionCommand(action, { databaseUrl, clock, logger, input, output: new PassThrough(), print })
}

const logIn = (databaseUrl: string): Promise<void> =>
  loginCommand({ databaseUrl, address: 'http://127.0.0.1:4000', user: null, clock, print })

/** What `audit verify` says once a command has written, and then a server has sealed. */
function verifiedAfter(url: string, command: (url: string) => Promise<void>) {
  return withDatabase(url, async (database) => {
    await command(url)
    await seal(database)
    return verifyAudit((statement, values) => database.query(statement, values), { day: null, maxEntries: Infinity })
  })
}

const INTACT = { problem: null, seals: 2, entries: 2 }

test('a restore has the numbers go on: whatever writes next is behind what is sealed', async () => {
  await using source = await sealedFarAbove()
  await using target = await createTestDatabase({ migrated: false })
  const frames = writeBackup({ databaseUrl: source.url, home: '', folders: [], version: 'test', at: clock.now() })
  await restoreBackup(frames, { databaseUrl: target.url, home: null, clock, logger })
  const body = { kind: 'CONFIG', change: 'RELOADED', detail: 'after' } as const
  const entry = { at: clock.now(), sessionId: null, turnId: null, actor: null, tokenName: null, body }
  const writes = (url: string): Promise<void> => withDatabase(url, (database) => appendAudit(database, [entry]))
  expect(await verifiedAfter(target.url, writes)).toMatchObject(INTACT)
})

test.each([
  ['session import', importSession],
  ['login', logIn],
] as const)('in a database that pg_restore has filled, %s has them go on', async (_, command) => {
  await using source = await sealedFarAbove()
  await numberFrom(source.url, 0)
  expect(await verifiedAfter(source.url, command)).toMatchObject(INTACT)
})
