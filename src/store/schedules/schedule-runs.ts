/**
 * The runs of schedules as the Scheduler (src/schedules/scheduler.ts) opens, sends and settles them. Each statement
 * that changes a schedule or the status of a run counts the schedule's `version` up and does nothing when it is no
 * longer what was read: of all processes that see a schedule due, one fires it, and no process opens a run while
 * another one is open.
 *
 * What is due is decided by the database's time, which all processes share.
 */
import type { NewAuditEntry } from '../../core/audit-entry.ts'
import type { MessageStatus, ScheduleMode } from '../../core/status.ts'
import { auditRows, AUDIT_RECORD, INSERT_AUDIT } from '../audit-entries.ts'
import type { Database } from '../database.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql } from '../sql.ts'

/** A schedule as far as firing goes. */
export interface FiringSchedule {
  readonly id: string
  readonly userName: string
  readonly tokenName: string
  readonly name: string
  readonly content: string
  readonly cron: string | null
  readonly runAt: Date | null
  readonly timeZone: string
  readonly mode: ScheduleMode
  readonly enabled: boolean
  readonly failures: number
  readonly nextRunAt: Date | null
  readonly version: number
}

/** A schedule whose time `dueAt` has come by the database's time. */
export interface DueSchedule extends FiringSchedule {
  readonly dueAt: Date
  /** The database's time. */
  readonly now: Date
  readonly hasOpenRun: boolean
  /** After its last failure a user had that turn tried again, and it ended well. */
  readonly isMadeUpFor: boolean
}

const SCHEDULE = `s.id, s.user_name AS "userName", s.token_name AS "tokenName", s.name, s.content, s.cron,
    s.run_at AS "runAt", s.time_zone AS "timeZone", s.mode, s.enabled, s.failures, s.next_run_at AS "nextRunAt",
    s.version`

const HAS_OPEN_RUN = `EXISTS (SELECT 1 FROM schedule_runs r WHERE r.schedule_id = s.id AND r.status = 'RUNNING')`

/** What users had tried again after the last failure (src/intake/message/retry-turn.ts): the last such message. */
const TRIED_AGAIN = `SELECT m.status FROM messages failed JOIN messages m
      ON m.session_id = failed.session_id AND m.client = failed.client AND m.seq > failed.seq
        AND starts_with(m.idempotency_key, 'retry:')
    WHERE s.failures > 0 AND failed.id = (
      SELECT r.message_id FROM schedule_runs r WHERE r.schedule_id = s.id AND r.status = 'FAILED' AND NOT r.manual
      ORDER BY r.id DESC LIMIT 1)
    ORDER BY m.seq DESC LIMIT 1`

const DUE = {
  name: 'schedules.due',
  plansOnce: true,
  text: `SELECT ${SCHEDULE}, s.next_run_at AS "dueAt", now() AS now, ${HAS_OPEN_RUN} AS "hasOpenRun",
      coalesce(again.status = 'DONE', false) AS "isMadeUpFor"
    FROM schedules s LEFT JOIN LATERAL (${TRIED_AGAIN}) again ON true
    WHERE s.next_run_at <= now() AND (s.cron IS NOT NULL OR NOT ${HAS_OPEN_RUN})
      AND (again.status IS NULL OR again.status NOT IN ('QUEUED', 'PROCESSING'))
    ORDER BY s.next_run_at LIMIT $1`,
}

/**
 * Longest due first. Not among them: a schedule that fires once, until a run that a caller triggered has ended; and one
 * that failed, until the turn that a user had tried again has ended.
 */
export function readDueSchedules(database: Database, limit: number): Promise<DueSchedule[]> {
  return database.query<DueSchedule>(DUE, [limit])
}

/**
 * A run that is to be opened. The ids of its session and message are drawn before it sends, so its sending can be
 * repeated without a second message.
 */
export interface NewRun {
  readonly id: string
  readonly dueAt: Date
  readonly manual: boolean
  readonly sessionId: string
  readonly messageId: string
  readonly at: Date
}

/** The newest runs of a schedule that are kept. */
const KEPT_RUNS = 1000

/** What every statement that adds a run wants to have deleted; reads `schedule`, the row that it has changed. */
const PRUNED = sql`pruned AS (
    DELETE FROM schedule_runs r USING schedule, LATERAL (
      SELECT id FROM schedule_runs WHERE schedule_id = schedule.id ORDER BY id DESC OFFSET ${KEPT_RUNS}) old
    WHERE r.id = old.id AND r.status <> 'RUNNING')`

const VERSIONED = { schedule_id: 'text', version: 'int' } as const

const OPEN = intakeStatement(
  'schedules.open-run',
  {
    ...VERSIONED,
    next_run_at: 'timestamptz',
    run_id: 'text',
    due_at: 'timestamptz',
    manual: 'boolean',
    session_id: 'text',
    message_id: 'text',
    at: 'timestamptz',
  },
  sql`schedule AS (
    UPDATE schedules s SET next_run_at = input.next_run_at, version = s.version + 1 FROM input
    WHERE s.id = input.schedule_id AND s.version = input.version RETURNING s.id),
  run AS (
    INSERT INTO schedule_runs (id, schedule_id, due_at, manual, status, session_id, message_id, started_at)
    SELECT input.run_id, schedule.id, input.due_at, input.manual, 'RUNNING', input.session_id, input.message_id,
      -- The run before may have ended while what is due was read.
      greatest(input.at, (SELECT max(r.finished_at) FROM schedule_runs r WHERE r.schedule_id = schedule.id))
    FROM schedule, input),
  ${PRUNED}
  SELECT id FROM schedule`,
)

/**
 * False: the schedule has changed since it was read, and nothing was written. The caller has seen that no run is open.
 */
export async function openRun(
  database: Database,
  { id, version }: Pick<FiringSchedule, 'id' | 'version'>,
  { run, nextRunAt }: { readonly run: NewRun; readonly nextRunAt: Date | null },
): Promise<boolean> {
  const rows = await OPEN(database, {
    schedule_id: id,
    version,
    next_run_at: nextRunAt,
    run_id: run.id,
    due_at: run.dueAt,
    manual: run.manual,
    session_id: run.sessionId,
    message_id: run.messageId,
    at: run.at,
  })
  return rows.length > 0
}

const SKIP = intakeStatement(
  'schedules.skip-run',
  {
    ...VERSIONED,
    next_run_at: 'timestamptz',
    run_id: 'text',
    due_at: 'timestamptz',
    failure: 'text',
    at: 'timestamptz',
    pauses: 'boolean',
    audit: 'jsonb',
  },
  sql`schedule AS (
    UPDATE schedules s SET next_run_at = input.next_run_at, version = s.version + 1, enabled = s.enabled AND NOT input.pauses,
      paused_reason = CASE WHEN input.pauses THEN input.failure ELSE s.paused_reason END
    FROM input WHERE s.id = input.schedule_id AND s.version = input.version RETURNING s.id),
  run AS (
    INSERT INTO schedule_runs (id, schedule_id, due_at, manual, status, started_at, finished_at, failure)
    SELECT input.run_id, schedule.id, input.due_at, false, 'SKIPPED', input.at, input.at, input.failure FROM schedule, input),
  ${PRUNED},
  audit AS (
    ${INSERT_AUDIT}
    SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
    FROM schedule, input, jsonb_to_recordset(input.audit) AS a (${AUDIT_RECORD}))
  SELECT id FROM schedule`,
)

interface SkippedRun {
  readonly id: string
  readonly dueAt: Date
  readonly reason: string
  readonly at: Date
  /** Null: with this, the schedule is taken out of use, for the same reason; `audit` says so. */
  readonly nextRunAt: Date | null
  readonly pauses: readonly NewAuditEntry[] | null
}

/** Records a firing that does not take place. False: the schedule has changed since it was read. */
export async function skipRun(
  database: Database,
  { id, version }: Pick<FiringSchedule, 'id' | 'version'>,
  skipped: SkippedRun,
): Promise<boolean> {
  const rows = await SKIP(database, {
    schedule_id: id,
    version,
    next_run_at: skipped.nextRunAt,
    run_id: skipped.id,
    due_at: skipped.dueAt,
    failure: skipped.reason,
    at: skipped.at,
    pauses: skipped.pauses !== null,
    audit: auditRows(skipped.pauses ?? []),
  })
  return rows.length > 0
}

/**
 * A run that is open, and what has become of its message; null while that has not been stored, or when it was deleted.
 */
export interface OpenRun {
  readonly runId: string
  readonly sessionId: string
  readonly messageId: string
  readonly manual: boolean
  readonly sent: boolean
  readonly messageStatus: MessageStatus | null
  readonly turnFailure: string | null
  readonly finishedAt: Date | null
  /** The database's time. */
  readonly now: Date
  readonly schedule: FiringSchedule
}

const OPEN_RUNS = {
  name: 'schedules.open-runs',
  plansOnce: true,
  text: `SELECT r.id AS "runId", r.session_id AS "sessionId", r.message_id AS "messageId", r.manual, r.sent,
      m.status AS "messageStatus", t.failure AS "turnFailure", t.finished_at AS "finishedAt", now() AS now, ${SCHEDULE}
    FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id
      LEFT JOIN messages m ON m.id = r.message_id LEFT JOIN turns t ON t.message_id = r.message_id
    WHERE r.status = 'RUNNING' AND ((m.id IS NULL AND (r.sent OR r.started_at <= now() - $2 * interval '1 millisecond'))
      OR m.status IN ('DONE', 'FAILED', 'CANCELLED'))
    ORDER BY r.id LIMIT $1`,
}

type OpenRunRow = Omit<OpenRun, 'schedule'> & FiringSchedule

/**
 * Oldest first: runs whose message has been processed, runs whose message was deleted after it was sent, and runs that
 * have no message `unsentAfterMs` after they were opened, so that the process that opened them has probably died.
 */
export async function readRunsToSettle(
  database: Database,
  { limit, unsentAfterMs }: { readonly limit: number; readonly unsentAfterMs: number },
): Promise<OpenRun[]> {
  const rows = await database.query<OpenRunRow>(OPEN_RUNS, [limit, unsentAfterMs])
  return rows.map((row) => {
    const { runId, sessionId, messageId, manual, sent, messageStatus, turnFailure, finishedAt, now, ...schedule } = row
    return { runId, sessionId, messageId, manual, sent, messageStatus, turnFailure, finishedAt, now, schedule }
  })
}

const SENT = { name: 'schedules.sent', text: 'UPDATE schedule_runs SET sent = true WHERE id = $1' }

/** The run's message was accepted: from now on it is not sent again, whatever becomes of the message. */
export async function markRunSent(database: Database, runId: string): Promise<void> {
  await database.query(SENT, [runId])
}

const SETTLE = intakeStatement(
  'schedules.settle-run',
  {
    ...VERSIONED,
    run_id: 'text',
    status: 'schedule_run_status',
    failure: 'text',
    finished_at: 'timestamptz',
    failures: 'int',
    last_error: 'text',
    next_run_at: 'timestamptz',
  },
  sql`schedule AS (
    UPDATE schedules s SET failures = input.failures, last_error = input.last_error, next_run_at = input.next_run_at,
      version = s.version + 1
    FROM input WHERE s.id = input.schedule_id AND s.version = input.version RETURNING s.id),
  run AS (
    UPDATE schedule_runs r SET status = input.status, failure = input.failure, finished_at = least(input.finished_at, now()),
      (session_id, message_id) = (SELECT r.session_id, r.message_id FROM sessions WHERE id = r.session_id)
    FROM schedule, input WHERE r.id = input.run_id AND r.status = 'RUNNING')
  SELECT id FROM schedule`,
)

interface SettledRun {
  readonly runId: string
  readonly status: 'DONE' | 'FAILED'
  readonly failure: string | null
  readonly finishedAt: Date
  readonly failures: number
  readonly lastError: string | null
  readonly nextRunAt: Date | null
}

/**
 * A run ended by the clock of the process that ran its turn, but no later than now, or the schedule's next run would
 * seem to have begun before. One whose session is gone keeps no trace of it. False: the schedule has changed meanwhile;
 * read it again.
 */
export async function settleRun(
  database: Database,
  { id, version }: Pick<FiringSchedule, 'id' | 'version'>,
  settled: SettledRun,
): Promise<boolean> {
  const rows = await SETTLE(database, {
    schedule_id: id,
    version,
    run_id: settled.runId,
    status: settled.status,
    failure: settled.failure,
    finished_at: settled.finishedAt,
    failures: settled.failures,
    last_error: settled.lastError,
    next_run_at: settled.nextRunAt,
  })
  return rows.length > 0
}
