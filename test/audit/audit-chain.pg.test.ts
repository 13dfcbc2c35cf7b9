/** The chain over the audit: what is changed behind its back shows, and nothing that it does by itself does. */
import { execFile } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { readdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AuditSealer } from '../../src/audit/audit-sealer.ts'
import { removeOldAudit } from '../../src/audit/remove-old-audit.ts'
import { verifyAudit, type AuditReport } from '../../src/audit/verify-audit.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { appendAudit } from '../../src/store/audit-entries.ts'
import { Database, type Statement } from '../../src/store/database.ts'
import { countAgedBySettings } from '../../src/store/retention/aged-by-settings.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { serverProgram } from '../harness/server-program.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { StubConfig } from '../model/stub-config.ts'

const logger = createLogger({ level: 'silent', pretty: false })
const TODAY = new Date('2026-11-21T12:00:00.000Z')

let place: TestDatabase
let database: Database
let superuser: pg.Client
async function open(): Promise<void> {
  place = await createTestDatabase()
  database = new Database({ url: place.url, maxConnections: 5, logger })
  superuser = new pg.Client({ connectionString: place.url })
  await superuser.connect()
}
async function close(): Promise<void> {
  await superuser.end()
  await database.close()
  await place[Symbol.asyncDispose]()
}

function at(now: Date): Clock {
  return { ...systemClock, now: () => now }
}

async function write(count: number, text = 'users added: ben', now = TODAY): Promise<void> {
  const nobody = { sessionId: null, turnId: null, actor: 'ada', tokenName: null }
  const body = { kind: 'CONFIG', change: 'RELOADED', detail: text } as const
  for (let n = 0; n < count; n += 1) await appendAudit(database, [{ at: now, ...nobody, body }])
}

function newSealer(now = TODAY): AuditSealer {
  return new AuditSealer({ database, clock: at(now), logger, metrics: createMetrics(), onSealed: () => undefined })
}

/** A process that seals, as it stops, what there is by then. */
async function seal(now = TODAY): Promise<void> {
  await untilSealable()
  await newSealer(now).stop()
}

/** Transactions of other databases hold sealing back as well: other tests use the same server. */
async function untilSealable(): Promise<void> {
  const heldBack = `SELECT 1 FROM audit_entries WHERE txid >= audit_txid(pg_snapshot_xmin(pg_current_snapshot())) LIMIT 1`
  while ((await database.query({ name: 'test.held-back', text: heldBack }, [])).length > 0) await setImmediate()
}

function verify(day: string | null = null): Promise<AuditReport> {
  return verifyAudit((statement, values) => database.query(statement, values), { day, maxEntries: Infinity })
}

/** What nobody can do without switching off the triggers first. */
async function tamper(sql: string): Promise<void> {
  for (const table of ['audit_entries', 'audit_seals'])
    await superuser.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  await superuser.query(sql)
  for (const table of ['audit_entries', 'audit_seals'])
    await superuser.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
}

/** What `verify` finds after `sql`, which is taken back. */
async function problemAfter(sql: string, day: string | null = null): Promise<string | null> {
  await superuser.query('BEGIN')
  try {
    await tamper(sql)
    const read = async <Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> =>
      (await superuser.query<Row>(statement.text, [...values])).rows
    return (await verifyAudit(read, { day, maxEntries: Infinity })).problem
  } finally {
    await superuser.query('ROLLBACK')
  }
}

const nth = (n: number): string => `(SELECT id FROM audit_entries ORDER BY txid, pos OFFSET ${n - 1} LIMIT 1)`

async function sealSome(): Promise<void> {
  for (const count of [3, 1, 4, 2]) {
    await write(count)
    await seal()
  }
}

describe('what was sealed', () => {
  beforeAll(async () => {
    await open()
    await sealSome()
  })
  afterAll(close)

  test('is intact', async () => {
    expect(await verify()).toMatchObject({ problem: null, seals: 4, entries: 10, head: { n: 4 } })
    await seal()
    expect(await verify('2026-11-21')).toMatchObject({ problem: null, seals: 4, entries: 10 })
    expect(await verify('2026-11-20')).toMatchObject({ problem: null, seals: 0, entries: 0 })
  })

  test.each([
    [
      'a changed text',
      `UPDATE audit_entries SET data = jsonb_set(data, '{detail}', '"nothing"') WHERE id = ${nth(6)}`,
      'Seal 3 of 2026-11-21',
    ],
    ['another actor', `UPDATE audit_entries SET actor = 'eve' WHERE id = ${nth(1)}`, 'was changed or replaced'],
    ['no actor', `UPDATE audit_entries SET actor = NULL WHERE id = ${nth(1)}`, 'was changed or replaced'],
    ['another time', `UPDATE audit_entries SET at = at + interval '1 millisecond' WHERE id = ${nth(9)}`, 'Seal 4'],
    ['a time beyond time', `UPDATE audit_entries SET at = 'infinity' WHERE id = ${nth(9)}`, 'Seal 4'],
    ['a removed entry', `DELETE FROM audit_entries WHERE id = ${nth(6)}`, 'covered 4 entries; 1 of them were removed.'],
    [
      'the newest entry removed',
      `DELETE FROM audit_entries WHERE id = ${nth(10)}`,
      'covered 2 entries; 1 of them were removed.',
    ],
    ['all entries removed', 'DELETE FROM audit_entries', 'Seal 1 of 2026-11-21'],
    [
      'an inserted entry',
      `INSERT INTO audit_entries (id, txid, pos, at, kind, actor, data) SELECT 'aud_x', txid, pos + 1000, at, kind, actor, data FROM audit_entries WHERE id = ${nth(5)}`,
      'others were added among them',
    ],
    [
      'one entry put in the place of another',
      `UPDATE audit_entries SET id = 'aud_x' WHERE id = ${nth(2)}`,
      'was changed or replaced',
    ],
    ['a removed seal', 'DELETE FROM audit_seals WHERE n = 2', 'Seal 2 is missing'],
    [
      'the first seal removed',
      'DELETE FROM audit_seals WHERE n = 1',
      'Everything up to seal 2 of 2026-11-21 is missing',
    ],
    ['seals renumbered', 'DELETE FROM audit_seals WHERE n = 1; UPDATE audit_seals SET n = n - 1', 'Seal 1'],
    ['a seal that covers less', `UPDATE audit_seals SET pos = pos - 1, entries = entries - 1 WHERE n = 3`, 'Seal 3'],
    ['a changed hash', `UPDATE audit_seals SET hash = sha256(hash) WHERE n = 2`, 'Seal 2'],
    ['another day', `UPDATE audit_seals SET day = day - 1 WHERE n = 4`, 'Seal 4'],
  ])('%s shows', async (_what, sql, problem) => {
    expect(await problemAfter(sql)).toContain(problem)
  })
})

describe('what is found later', () => {
  beforeEach(async () => {
    await open()
    await sealSome()
  })
  afterEach(close)

  test('a changed day shows, and one that is checked alone does not speak for the others', async () => {
    await write(2)
    await seal(new Date('2026-11-22T00:00:01.000Z'))
    await tamper(`UPDATE audit_entries SET actor = 'eve' WHERE id = ${nth(1)}`)
    expect(await verify('2026-11-22')).toMatchObject({ problem: null, seals: 1, entries: 2 })
    expect((await verify('2026-11-21')).problem).toContain('Seal 1')
  })

  test('a day that lost its last seals, or all of them, shows when it is checked alone', async () => {
    for (const n of [22, 23]) {
      await write(2)
      await seal(new Date(`2026-11-${n}T00:00:01.000Z`))
    }
    expect((await verify('2026-11-22')).problem).toBeNull()
    const lastOf = `DELETE FROM audit_entries WHERE (txid, pos) > (SELECT txid, pos FROM audit_seals WHERE n = 3)
      AND (txid, pos) <= (SELECT txid, pos FROM audit_seals WHERE n = 4); DELETE FROM audit_seals WHERE n = 4`
    expect(await problemAfter(lastOf, '2026-11-21')).toContain('Seal 4 is missing')
    expect(await problemAfter('DELETE FROM audit_seals WHERE n = 5', '2026-11-22')).toContain('Seal 5 is missing')
    expect(await problemAfter('DELETE FROM audit_seals WHERE n < 5', '2026-11-21')).toContain('Everything up to seal 5')
  })

  test('a clock that was put back, or is behind that of another process, is no forgery', async () => {
    for (const time of ['2026-11-22T00:00:00.100Z', '2026-11-21T23:59:59.900Z', '2026-11-22T00:00:01.000Z']) {
      await write(1)
      await seal(new Date(time))
    }
    for (const day of ['2026-11-21', '2026-11-22', null]) expect((await verify(day)).problem).toBeNull()
  })

  test('entries that lost their seal are told of', async () => {
    await tamper('DELETE FROM audit_seals WHERE n = 4')
    expect(await verify()).toMatchObject({ problem: null, seals: 3, lateEntries: 2 })
  })

  test('a server that knows a seal tells of its removal, in the log and in the audit', async () => {
    const sealer = newSealer()
    await sealer.start()
    await write(1)
    await expect.poll(async () => (await verify()).seals).toBe(5)
    await tamper('DELETE FROM audit_seals WHERE n >= 4')
    await expect
      .poll(async () =>
        database.query(
          { name: '', text: `SELECT data FROM audit_entries WHERE data->>'change' = 'AUDIT_TAMPERED'` },
          [],
        ),
      )
      .toMatchObject([
        {
          data: {
            detail: expect.stringMatching(/^Seal 5 of 2026-11-21 with the hash [0-9a-f]{64} is gone\.$/) as string,
          },
        },
      ])
    await sealer.stop()
  })
})

/** How far the numbers of transactions have come on this server. */
async function numberFrom(first: number): Promise<void> {
  await superuser.query(`CREATE OR REPLACE FUNCTION audit_txid(transaction xid8) RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT transaction::text::bigint + ${first}'`)
}

describe('sealing', () => {
  beforeEach(open)
  afterEach(close)

  test('nothing is sealed beyond a transaction that still runs, so nothing can appear among what is sealed', async () => {
    await superuser.query('BEGIN')
    await superuser.query(
      `INSERT INTO audit_entries (id, at, kind, data) VALUES ('aud_early', now(), 'CONFIG', '{"change": "RELOADED"}')`,
    )
    await write(3)
    await newSealer().stop()
    expect(await verify()).toMatchObject({ problem: null, entries: 0, lateEntries: 3 })
    await superuser.query('COMMIT')
    await write(1)
    await seal()
    expect(await verify()).toMatchObject({ problem: null, seals: 1, entries: 5 })
    const [first] = await database.query<{ id: string }>(
      { name: '', text: 'SELECT id FROM audit_entries ORDER BY txid, pos' },
      [],
    )
    expect(first?.id).toBe('aud_early')
  })

  test('many processes at once, while entries are written: each entry is under exactly one seal', async () => {
    const writing = Promise.all(Array.from({ length: 4 }, () => write(40)))
    const sealing = Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < 10; n += 1) await seal()
      }),
    )
    await Promise.all([writing, sealing])
    await seal()
    expect(await verify()).toMatchObject({ problem: null, entries: 160, lateEntries: 0 })
  })

  test('goes on in a database that was restored from a dump, where transactions are numbered from the start', async () => {
    await numberFrom(1_000_000)
    await write(2)
    await seal()
    await write(1)
    await numberFrom(0)
    const sealer = newSealer()
    await sealer.start()
    await write(3)
    await untilSealable()
    await sealer.stop()
    expect(await verify()).toMatchObject({ problem: null, entries: 6, lateEntries: 0 })
  })

  test('a large backlog is sealed in several batches', async () => {
    await database.query(
      {
        name: '',
        text: `INSERT INTO audit_entries (id, at, kind, data)
          SELECT 'aud_' || n, now(), 'CONFIG', '{"change": "RELOADED"}' FROM generate_series(1, 2500) n`,
      },
      [],
    )
    await seal()
    expect(await verify()).toMatchObject({ problem: null, seals: 3, entries: 2500 })
  })
})

describe('retention', () => {
  const config = new StubConfig({ baseUrl: null, settings: { auditRetentionDays: 10 } })
  const metrics = createMetrics()
  const remove = (now: Date): Promise<void> =>
    removeOldAudit({ database, config, clock: at(now), logger, metrics }, new AbortController().signal)
  const day = (n: number): Date => new Date(`2026-11-${String(n).padStart(2, '0')}T12:00:00.000Z`)

  beforeEach(async () => {
    await open()
    for (const n of [1, 2, 3, 9]) {
      await write(3, `on day ${n}`, day(n))
      await seal(day(n))
      await write(2, `on day ${n}, later`, day(n))
      await seal(day(n))
    }
  })

  afterEach(close)

  test('removes whole days, oldest first; what is left is provable from its first seal', async () => {
    await remove(day(12))
    await seal(day(12))
    expect(await verify()).toMatchObject({ problem: null, entries: 16, seals: 7 })
    await remove(day(13))
    await remove(day(13))
    await seal(day(13))
    expect(await verify()).toMatchObject({ problem: null, entries: 12, seals: 6 })
    const stored = await database.query<{ data: { detail: string } }>(
      { name: '', text: `SELECT data FROM audit_entries WHERE data->>'change' = 'AUDIT_REMOVED' ORDER BY pos` },
      [],
    )
    expect(stored.map(({ data }) => data.detail)).toEqual([
      expect.stringMatching(/^entries up to 2026-11-01, seal 2 \([0-9a-f]{64}\), after 10 days$/),
      expect.stringMatching(/^entries up to 2026-11-02, seal 4 \([0-9a-f]{64}\), after 10 days$/),
    ])
  })

  test('a day of which the job has removed some or all is no forgery, when it is checked alone', async () => {
    await remove(day(13))
    await seal(day(13))
    expect(await verify('2026-11-02')).toMatchObject({ problem: null, entries: 0, seals: 0, isComplete: true })
    expect(await verify('2026-11-03')).toMatchObject({ problem: null, entries: 5, seals: 2, isComplete: true })
    expect(await verify('2026-11-01')).toMatchObject({ problem: null, entries: 0, seals: 0, head: null })
    expect((await verify()).beginning).toMatchObject({ n: 4, day: '2026-11-02' })
    await tamper(`UPDATE audit_entries SET data = jsonb_set(data, '{detail}', '"seal 4 (00)"')
      WHERE data->>'change' = 'AUDIT_REMOVED'`)
    expect((await verify('2026-11-02')).problem).toContain('Everything up to seal 4 of 2026-11-02 is missing')
  })

  test('a dry run counts what goes, and figures what went', async () => {
    const cuts = { audit: day(3), prompts: day(3), files: { expired: day(3) } }
    const counted = await countAgedBySettings(database, cuts)
    expect(counted).toEqual([
      { kind: 'audit', before: day(3), count: 10 },
      { kind: 'prompts', before: day(3), count: 0 },
      { kind: 'files', before: day(3), count: 0 },
    ])
    const removed = async (): Promise<number> => {
      const { values } = await metrics.retentionRemoved.get()
      return values.find(({ labels }) => labels['kind'] === 'audit')?.value ?? 0
    }
    const before = await removed()
    await remove(day(13))
    expect((await removed()) - before).toBe(10)
    expect((await countAgedBySettings(database, cuts))[0]).toMatchObject({ count: 0 })
  })

  test('removes nothing that is young enough, and everything that is not', async () => {
    await remove(day(11))
    expect(await verify()).toMatchObject({ problem: null, entries: 20, seals: 8 })
    await remove(new Date('2027-11-21T12:00:00.000Z'))
    await seal(new Date('2027-11-21T12:00:00.000Z'))
    expect(await verify()).toMatchObject({ problem: null, entries: 1, seals: 1 })
  })

  test('what another program removes from the beginning, or adds before it, shows', async () => {
    await remove(day(13))
    await seal(day(13))
    await tamper(
      `DELETE FROM audit_seals WHERE n < 6; DELETE FROM audit_entries WHERE data->>'detail' LIKE 'on day 3%'`,
    )
    expect((await verify()).problem).toContain('Everything up to seal 6 of 2026-11-03 is missing')
  })

  test('an entry that is put before the beginning shows', async () => {
    await remove(day(13))
    await seal(day(13))
    await tamper(
      `INSERT INTO audit_entries (id, txid, pos, at, kind, data) VALUES ('aud_x', 1, 1, now(), 'CONFIG', '{}')`,
    )
    expect((await verify()).problem).toContain('1 entries were added before seal 4')
  })
})

test('factotum audit verify: says what it found, and exits with 0 only when all is well', async () => {
  await open()
  onTestFinished(close)
  await using home = await createTemporaryHome()
  const run = async (...args: string[]): Promise<{ code: number; output: string }> => {
    const env = { PATH: process.env['PATH'], DATABASE_URL: place.url, FACTOTUM_HOME: home.path }
    const child = promisify(execFile)('node', [await serverProgram(), 'audit', 'verify', ...args], { env })
    return child.then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, output: error.stdout }),
    )
  }
  await write(3)
  await seal()
  const good = await run()
  expect(good).toMatchObject({
    code: 0,
    output: expect.stringContaining('is intact: 3 entries under 1 seals.') as string,
  })
  const [, hash = ''] = /number 1, 2026-11-21T12:00:00\.000Z, ([0-9a-f]{64})\n/.exec(good.output) ?? []
  expect(await run('--kept', `1:${hash}`)).toMatchObject({ code: 0 })
  expect((await run('--kept', `1:${'0'.repeat(64)}`)).output).toContain(
    `another hash than the one that was kept: ${hash}`,
  )
  expect(await run('--kept', `2:${hash}`)).toMatchObject({
    code: 1,
    output: expect.stringContaining('NOT intact. Seal 2, which was kept, is gone: the newest is seal 1.') as string,
  })
  await tamper(`DELETE FROM audit_entries WHERE id = ${nth(2)}`)
  const bad = await run('--day', '2026-11-21')
  expect(bad).toMatchObject({
    code: 1,
    output: expect.stringContaining('is NOT intact. Seal 1 of 2026-11-21') as string,
  })
})

test('factotum audit verify makes no database where there is none, and says so', async () => {
  await using home = await createTemporaryHome()
  const env = { PATH: process.env['PATH'], FACTOTUM_HOME: home.path }
  const run = promisify(execFile)('node', [await serverProgram(), 'audit', 'verify'], { env })
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no audit in') as string,
  })
  expect(await readdir(home.path)).toEqual([])
})
