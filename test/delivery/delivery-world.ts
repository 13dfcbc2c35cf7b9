/**
 * The world in which delivery is tested: a real database with sessions and texts to deliver, an outbox with its job
 * runner, and pauses of milliseconds. What is "a process" here has its own outbox, job runner and pool.
 */
import type { LiveConfig, Settings } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { newWebhookSecret } from '../../src/config/access/webhook-secret.ts'
import { AddressGuard } from '../../src/delivery/address-guard.ts'
import type { DeliverySchedule } from '../../src/delivery/delivery-schedule.ts'
import { deliveryJobKey, Outbox } from '../../src/delivery/outbox.ts'
import type { Resolve } from '../../src/delivery/resolve-host.ts'
import { JobRunner } from '../../src/jobs/job-runner.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics, type Metrics } from '../../src/platform/metrics.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'
import { PATIENCE_MS } from '../harness/patience.ts'

const SILENT = createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', pretty: true })
export const FAST: DeliverySchedule = {
  pausesMs: [10, 30],
  maxRetryAfterMs: 60_000,
  givenUp: { pauseMs: 10, maxAgeMs: PATIENCE_MS },
}
const POLL_MS = 10
/** How often a state is polled that no event tells of. */
const LOOK_MS = 5

export interface DeliveryRow {
  readonly id: string
  readonly status: 'PENDING' | 'DELIVERED' | 'DEAD'
  readonly attempts: number
  readonly last_status_code: number | null
  readonly last_error: string | null
  readonly next_attempt_at: Date | null
  readonly delivered_at: Date | null
  readonly url: string
}

export interface WorldOptions {
  readonly allowList?: readonly string[]
  readonly schedule?: DeliverySchedule
  readonly timeoutMs?: number
  readonly maxSessions?: number
  readonly resolve?: Resolve
  readonly secrets?: readonly string[]
  /** What the outbox logs from level info on. */
  readonly log?: (line: string) => void
}

/** A process that delivers. */
export interface Deliverer {
  readonly outbox: Outbox
  readonly metrics: Metrics
  stop(): Promise<void>
}

export class DeliveryWorld implements AsyncDisposable {
  readonly database: Database
  readonly secrets: readonly string[]
  readonly config: LiveConfig
  readonly #options: WorldOptions
  readonly #cleanup: AsyncDisposableStack

  private constructor(database: Database, options: WorldOptions, cleanup: AsyncDisposableStack) {
    this.database = database
    this.#options = options
    this.#cleanup = cleanup
    this.secrets = options.secrets ?? [newWebhookSecret()]
    this.config = configWith(this.secrets, options.allowList ?? ['127.0.0.1'])
  }

  static async create(options: WorldOptions = {}): Promise<DeliveryWorld> {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await createTestDatabase())
    const database = new Database({ url: server.url, maxConnections: 8, logger: SILENT })
    stack.defer(() => database.close())
    return new DeliveryWorld(database, options, stack.move())
  }

  /** Starts a process that delivers; it ends with the world, if not before. */
  async deliverer(): Promise<Deliverer> {
    const { schedule = FAST, timeoutMs = PATIENCE_MS, maxSessions = 100, resolve, log } = this.#options
    const logger = log === undefined ? SILENT : createLogger({ level: 'info', pretty: false, to: { write: log } })
    const metrics = createMetrics()
    const { database, config } = this
    const guard = new AddressGuard({
      rules: () => config.current().settings,
      ...(resolve === undefined ? {} : { resolve }),
    })
    const keys = { apiKey: () => null }
    const doorbell = { ring: () => undefined }
    const parts = { database, config, keys, guard, clock: systemClock, logger, metrics, doorbell }
    const outbox = new Outbox({ ...parts, schedule, timeoutMs, maxSessions, stopGraceMs: 50 })
    const runner = { url: database.url, handlers: outbox.handlers, periodic: [], clock: systemClock, logger, metrics }
    const jobs = new JobRunner({ ...runner, connections: 4, pollMs: POLL_MS })
    const stop = async (): Promise<void> => {
      await jobs.stop()
      await outbox.stop()
    }
    this.#cleanup.defer(stop)
    await jobs.start()
    return { outbox, metrics, stop }
  }

  /**
   * Stores texts of one turn in a session with this webhook, each with its delivery, in order. Returns the deliveries'
   * ids.
   */
  async commit(sessionId: string, webhook: string, texts: readonly string[]): Promise<string[]> {
    const [message, turn, plan] = [newId('message'), newId('turn'), newId('plan')]
    const rows = texts.map((output, index) => ({ task: newId('task'), id: newId('delivery'), output, index }))
    await this.sql(COMMIT, sessionId, webhook, message, turn, plan, JSON.stringify(rows), texts.length)
    return rows.map(({ id }) => id)
  }

  sql<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
    return this.database.query<Row>({ name: '', text, timeoutMs: PATIENCE_MS }, values)
  }

  async row(id: string): Promise<DeliveryRow> {
    const [row] = await this.sql<DeliveryRow>('SELECT * FROM deliveries WHERE id = $1', id)
    return must(row, 'the delivery is there')
  }

  /** Waits until the delivery is as `accept` wants it. A test that waits in vain ends by its time limit. */
  async until(id: string, accept: (row: DeliveryRow) => boolean): Promise<DeliveryRow> {
    for (;;) {
      const row = await this.row(id)
      if (accept(row)) return row
      await systemClock.sleep(LOOK_MS)
    }
  }

  /** Waits until so many processes wait for a delivery whose row the test has locked. */
  async untilClaimsWait(count: number): Promise<void> {
    while ((await this.sql(WAITING_CLAIMS)).length < count) await systemClock.sleep(LOOK_MS)
  }

  /** The job that goes on with the session's deliveries, once there is one. */
  async job(sessionId: string): Promise<{ readonly id: string; readonly isDue: boolean }> {
    for (;;) {
      const [job] = await this.sql<{ id: string; isDue: boolean }>(JOB, deliveryJobKey(sessionId))
      if (job !== undefined) return job
      await systemClock.sleep(LOOK_MS)
    }
  }

  settled(id: string): Promise<DeliveryRow> {
    return this.until(id, ({ status }) => status !== 'PENDING')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

function configWith(secrets: readonly string[], allowList: readonly string[]): LiveConfig {
  const parsed = parseConfig(
    `[users.ada]\nrole = "admin"\n[tokens.bridge]\nkind = "connector"\ntoken = "bridge-token"\nnamespace = "*"\n` +
      `webhook_secret = ${JSON.stringify(secrets)}\n` +
      `[settings]\nwebhook_allow_list = ${JSON.stringify(allowList satisfies Settings['webhookAllowList'])}\n`,
    { production: false },
  )
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return { current: () => parsed.config, onChange: () => () => {} }
}

const WAITING_CLAIMS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE deliveries d SET attempts%'`

const JOB = 'SELECT id, run_at <= now() AS "isDue" FROM graphile_worker.jobs WHERE key = $1'

const COMMIT = `
  WITH s AS (
    INSERT INTO sessions (id, source_kind, source_interactive, webhook, webhook_token, last_seq)
    VALUES ($1, 'test', true, $2, 'bridge', 1)
    ON CONFLICT (id) DO UPDATE SET last_seq = sessions.last_seq + 1, webhook = excluded.webhook
    RETURNING id, last_seq AS seq),
  m AS (
    INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
    SELECT $3, s.id, s.seq, 'USER', 'ada', 'Hello', true, 'DONE', 'bridge', now() FROM s),
  t AS (
    INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at)
    SELECT $4, s.id, s.seq, $3, 'ada', 'DONE', now() FROM s),
  p AS (
    INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at) SELECT $5, s.id, $4, 1, 'Answer', now() FROM s),
  given AS (SELECT * FROM jsonb_to_recordset($6::jsonb) AS g (task text, id text, output text, index int)),
  k AS (
    INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status, output)
    SELECT g.task, s.id, $4, $5, g.index, 'MSG', 'Answer', 'DONE', g.output FROM s, given g)
  INSERT INTO deliveries (id, session_id, task_id, url, token_name, final, created_at, next_attempt_at)
  SELECT g.id, s.id, g.task, $2, 'bridge', g.index = $7::int - 1, now(), now() FROM s, given g ORDER BY g.index`
