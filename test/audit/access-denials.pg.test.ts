/** What denied accesses leave in the audit: told at once, counted, and bounded whatever is asked for. */
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AccessDenials } from '../../src/audit/access-denials.ts'
import type { Config, LiveConfig, TokenConfig } from '../../src/config/config.ts'
import { hashToken } from '../../src/config/access/token-hash.ts'
import type { Viewer } from '../../src/core/identity.ts'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { StubConfig } from '../model/stub-config.ts'

let logged = ''
const logger = createLogger({ level: 'warn', pretty: false, to: { write: (line) => void (logged += line) } })
const BEN: Viewer = {
  tokenName: 'ben',
  tokenKind: 'USER',
  namespace: null,
  user: { name: 'ben', role: 'USER' },
  role: 'USER',
}

/** Time stands until `pass`; what was asked to happen later happens then. */
class HeldClock implements Clock {
  #now = Date.parse('2026-11-21T12:00:00.000Z')
  #later: { readonly at: number; readonly action: () => void }[] = []
  now = (): Date => new Date(this.#now)
  monotonicMs = (): number => this.#now
  sleep = (ms: number, signal?: AbortSignal): Promise<void> => systemClock.sleep(ms, signal)
  after = (ms: number, action: () => void): (() => void) => {
    const one = { at: this.#now + ms, action }
    this.#later.push(one)
    return () => void (this.#later = this.#later.filter((other) => other !== one))
  }

  pass(ms: number): void {
    this.#now += ms
    const due = this.#later.filter(({ at }) => at <= this.#now)
    this.#later = this.#later.filter(({ at }) => at > this.#now)
    for (const { action } of due) action()
  }
}

class ChangingConfig implements LiveConfig {
  config: Config = new StubConfig({ baseUrl: null }).config
  readonly #listeners: ((config: Config) => void)[] = []

  current(): Config {
    return this.config
  }

  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.push(listener)
    return () => undefined
  }

  setTokens(...names: string[]): void {
    const token = (name: string): TokenConfig => ({
      name,
      sha256: hashToken(`token of ${name}`),
      plainToken: null,
      kind: 'USER',
      user: name,
      namespace: null,
      webhookSecrets: [],
      webhookSecretEnvs: [],
      declared: true,
      expiresAt: null,
    })
    this.config = { ...this.config, tokens: new Map(names.map((name) => [name, token(name)])) }
    for (const listener of this.#listeners) listener(this.config)
  }
}

let place: TestDatabase
let database: Database
let clock: HeldClock
let config: ChangingConfig
let denials: AccessDenials
beforeEach(async () => {
  logged = ''
  place = await createTestDatabase()
  database = new Database({ url: place.url, maxConnections: 2, logger })
  clock = new HeldClock()
  config = new ChangingConfig()
  config.setTokens('ben', 'former')
  denials = new AccessDenials({ database, config, clock, logger })
  denials.start()
})
afterEach(async () => {
  await database.close()
  await place[Symbol.asyncDispose]()
})

interface Row {
  readonly actor: string | null
  readonly tokenName: string | null
  readonly sessionId: string | null
  readonly data: { readonly field: string; readonly reason: string; readonly count: number }
}

function entries(): Promise<Row[]> {
  const text = `SELECT actor, token_name AS "tokenName", session_id AS "sessionId", data FROM audit_entries ORDER BY pos`
  return database.query<Row>({ name: '', text }, [])
}

async function counts(expected: readonly number[]): Promise<void> {
  await expect.poll(async () => (await entries()).map(({ data }) => data.count)).toEqual(expected)
}

test('the first of a minute at once, the others as one when it is over; then it begins anew', async () => {
  for (let n = 0; n < 100; n += 1) denials.forbidden(BEN, 'Query.audit')
  clock.pass(1000)
  await counts([1])
  for (let n = 0; n < 50; n += 1) denials.forbidden(BEN, 'Query.audit')
  // Time passes for as long as it takes: a write that is under way asks for the next one only when it is done.
  const pass = async (): Promise<number[]> => {
    clock.pass(1000)
    return (await entries()).map(({ data }) => data.count)
  }
  await expect.poll(pass, { interval: 5 }).toEqual([1, 149])
  await expect
    .poll(async () => {
      denials.forbidden(BEN, 'Query.audit')
      clock.pass(1000)
      return (await entries()).length
    })
    .toBe(3)
  await denials.stop()
})

/** The first is recorded, and five more wait for the end of their minute. */
async function denySome(): Promise<void> {
  denials.forbidden(BEN, 'Query.audit')
  clock.pass(1000)
  await counts([1])
  for (let n = 0; n < 5; n += 1) denials.forbidden(BEN, 'Query.audit')
}

/** Their minute is over, and time passes for as long as `happened` does not hold. */
async function passUntil(happened: () => boolean | Promise<boolean>): Promise<void> {
  const pass = (): boolean | Promise<boolean> => {
    clock.pass(60_000)
    return happened()
  }
  await expect.poll(pass, { interval: 5 }).toBe(true)
}

const run = <Row extends object>(text: string): Promise<Row[]> => database.query<Row>({ name: '', text }, [])

test('what the database does not take at the end of the minute is recorded later', async () => {
  await denySome()
  await run('ALTER TABLE audit_entries RENAME TO away')
  await passUntil(() => logged.includes('could not be written to the audit'))
  await run('ALTER TABLE away RENAME TO audit_entries')
  await denials.stop()
  expect((await entries()).map(({ data }) => data.count)).toEqual([1, 5])
})

test('what is denied while the others are written is recorded as well', async () => {
  await denySome()
  const holder = new pg.Client({ connectionString: place.url })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE audit_entries IN EXCLUSIVE MODE')
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'audit_entries'::regclass`
  await passUntil(async () => (await run(waiting)).length > 0)
  for (let n = 0; n < 3; n += 1) denials.forbidden(BEN, 'Query.audit')
  await holder.query('COMMIT')
  await holder.end()
  await denials.stop()
  expect((await entries()).map(({ data }) => data.count)).toEqual([1, 5, 3])
})

test('what does not exist was not denied; what does is told with its session', async () => {
  await database.query(
    { name: '', text: `INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:there', 'cli', true)` },
    [],
  )
  denials.absent(BEN, 'Query.session', 'cli:there')
  denials.absent(BEN, 'Query.session', 'cli:not-there')
  denials.absent(BEN, 'Query.session', 'half a \ud800 character \0')
  denials.absent({ ...BEN, role: 'ADMIN' }, 'Query.session', 'cli:there')
  await denials.stop()
  expect(await entries()).toMatchObject([
    { actor: 'ben', tokenName: 'ben', sessionId: 'cli:there', data: { reason: 'NOT_VISIBLE', count: 1 } },
  ])
})

test('an approval of others, and a schedule of others, are recorded', async () => {
  const rows = `SET session_replication_role = replica;
    INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, reason, created_at, expires_at)
      VALUES ('appr_theirs', 'cli:there', 'turn_1', 'task_1', 'ada', 'TASK', 'It writes.', now(), now());
    INSERT INTO schedules (id, user_name, token_name, name, content, time_zone, mode, enabled, created_at, updated_at)
      VALUES ('sched_theirs', 'ada', 'ada', 'Daily', 'Sum up', 'UTC', 'FRESH', false, now(), now())`
  const writer = new pg.Client({ connectionString: place.url })
  await writer.connect()
  await writer.query(rows)
  await writer.end()
  denials.absent(BEN, 'Mutation.decideApproval', 'appr_theirs')
  denials.absent(BEN, 'Mutation.deleteSchedule', 'sched_theirs')
  await denials.stop()
  expect(await entries()).toMatchObject([
    { sessionId: 'cli:there', data: { field: 'Mutation.decideApproval', reason: 'NOT_VISIBLE' } },
    { sessionId: null, data: { field: 'Mutation.deleteSchedule', reason: 'NOT_VISIBLE' } },
  ])
})

test('what is asked for while others are looked up is looked up too', async () => {
  denials.absent(BEN, 'Query.session', 'cli:not-there')
  clock.pass(1000)
  denials.absent(BEN, 'Query.session', 'cli:not-there-either')
  denials.absent(BEN, 'Query.session', `cli:${'x'.repeat(100_000)}`)
  await denials.stop()
  expect(await entries()).toEqual([])
})

test('a token that was removed is known by its name; one that never was is not, and comes back as itself', async () => {
  config.setTokens('ben')
  denials.unknownToken('token of former')
  denials.unknownToken('a guess')
  denials.unknownToken('another guess')
  await denials.stop()
  expect((await entries()).map(({ tokenName, data }) => [tokenName, data.count])).toEqual([
    ['former', 1],
    [null, 2],
  ])
})

test('whatever is asked for in a minute, a thousand and a few entries are the most', async () => {
  for (let n = 0; n < 20_000; n += 1) denials.forbidden({ ...BEN, tokenName: `t${n}` }, `Query.f${n % 7}`)
  await denials.stop()
  const all = await entries()
  expect(all.length).toBeLessThanOrEqual(1003)
  expect(all.reduce((sum, { data }) => sum + data.count, 0)).toBe(20_000)
})
