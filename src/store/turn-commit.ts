/**
 * The one way in which a turn writes: events and the changes they tell of, in one statement, fenced by the lease. The update
 * of the session row comes first: it checks the lease, takes the row's lock and draws the `seq`s, and every other part hangs
 * on its result. Who lost the lease therefore writes nothing at all, and order of commit is order of seq.
 *
 * The write that ends the last turn of the queue also gives the session back. Whether something waits is asked of the session's
 * own row, which PostgreSQL reads again after waiting for its lock: a message accepted a moment before is seen.
 */
import { AppError } from '../core/errors.ts'
import type { ModelCallRecord } from '../core/model-call.ts'
import type { SessionEvent } from '../core/session-event.ts'
import type { NewTask, TaskPatch, TurnWrite } from '../core/turn-write.ts'
import { newId } from '../platform/id.ts'
import type { Database, Statement } from './database.ts'

/** A node's right to run a session's turns, from claim to release. */
export interface Lease {
  readonly sessionId: string
  readonly node: number
  readonly epoch: number
}

export interface TurnRef {
  readonly id: string
  readonly seq: number
  readonly messageId: string
}

export interface Committed {
  readonly events: readonly SessionEvent[]
  /** Somebody asked for the turn's end, perhaps at another node. */
  readonly cancelRequested: boolean
  /** The turn ended and nothing waits behind it: the session is free again, and the lease is no more. */
  readonly released: boolean
}

/** Commits `write`. Throws AppError LEASE_LOST when another node has the session now; then nothing was written. */
export async function commitTurn(
  database: Database,
  target: { lease: Lease; turn: TurnRef },
  write: TurnWrite,
): Promise<Committed> {
  const { lease, turn } = target
  const { statement, values } = render(lease, turn, write)
  const [row] = await database.query<Row>(statement, values)
  if (row === undefined) throw new AppError('LEASE_LOST', `the lease of session ${lease.sessionId} was lost`)
  return {
    events: write.events.map((event, index) => ({
      ...event.body,
      seq: row.base + index + 1,
      at: event.at,
      sessionId: lease.sessionId,
      turnId: event.turnId,
    })),
    cancelRequested: row.cancel_requested,
    released: write.finish !== undefined && row.queue_length === 0,
  }
}

interface Row {
  readonly base: number
  readonly queue_length: number
  readonly cancel_requested: boolean
}

type Bind = (value: unknown) => string

/** Each part of a write that is there adds its fragment; the shape of a write names its prepared statement. */
function render(lease: Lease, turn: TurnRef, write: TurnWrite): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [lease.sessionId, lease.node, lease.epoch, turn.id]
  const bind: Bind = (value) => `$${values.push(value)}`
  const has = (list: { readonly length: number } | undefined): boolean => list !== undefined && list.length > 0
  const costs = has(write.modelCalls)
  const parts: Record<string, string> = { fence: fenceSql(write, bind), turn: turnSql(write, bind) }
  if (write.events.length > 0) parts['events'] = eventsSql(write, bind)
  if (has(write.plans)) parts['plans'] = plansSql(write, bind)
  if (has(write.tasks)) parts['tasks'] = tasksSql(write.tasks ?? [], bind)
  if ((write.taskPatches?.size ?? 0) > 0) parts['patches'] = patchesSql(write, bind)
  if (costs) parts['calls'] = callsSql(write, bind)
  if (has(write.dropDeltasOf)) parts['deltas'] = deltasSql(write, turn.seq, bind)
  if (write.finish !== undefined) parts['message'] = messageSql(turn.messageId, write.finish.status, bind)
  const shape = Object.keys(parts).join('.')
  const text = `WITH ${Object.entries(parts)
    .map(([name, sql]) => `w_${name} AS (${sql})`)
    .join(',\n')}
SELECT f.base, f.queue_length, t.cancel_requested FROM w_fence f, w_turn t`
  return { statement: { name: `turn.${shape}`, text }, values }
}

/** `, model_calls = …` for the table aliased x, or nothing when no model was called. */
function usageSql(calls: TurnWrite['modelCalls'], bind: Bind): string {
  if (calls === undefined || calls.length === 0) return ''
  const sum = (of: (call: ModelCallRecord) => number): number => calls.reduce((total, call) => total + of(call), 0)
  const priced = calls.some((call) => call.cost !== null)
  const cost = bind(priced ? sum((call) => call.cost ?? 0) : null)
  return `, model_calls = x.model_calls + ${bind(calls.length)}::int,
    input_tokens = x.input_tokens + ${bind(sum((call) => call.inputTokens))}::bigint,
    output_tokens = x.output_tokens + ${bind(sum((call) => call.outputTokens))}::bigint,
    cached_tokens = x.cached_tokens + ${bind(sum((call) => call.cachedTokens))}::bigint,
    cost = coalesce(x.cost + ${cost}::float8, x.cost, ${cost}::float8)`
}

function fenceSql(write: TurnWrite, bind: Bind): string {
  const finished =
    write.finish === undefined
      ? ''
      : `, turn_count = x.turn_count + 1, last_activity_at = ${bind(write.finish.at)}::timestamptz,
    status = CASE WHEN x.queue_length > 0 THEN 'RUNNING' ELSE 'IDLE' END::session_status,
    owner = CASE WHEN x.queue_length > 0 THEN x.owner END, ready_at = CASE WHEN x.queue_length > 0 THEN x.ready_at END`
  return `UPDATE sessions x SET last_seq = x.last_seq + ${bind(write.events.length)}::int${usageSql(write.modelCalls, bind)}${finished}
    WHERE x.id = $1 AND x.owner = $2 AND x.epoch = $3 RETURNING x.last_seq - ${bind(write.events.length)}::int AS base, x.queue_length`
}

function turnSql(write: TurnWrite, bind: Bind): string {
  const finish = write.finish
  const finished =
    finish === undefined
      ? ''
      : `, status = ${bind(finish.status)}::turn_status, failure = ${bind(finish.failure)}::text, finished_at = ${bind(finish.at)}::timestamptz`
  return `UPDATE turns x SET step = coalesce(${bind(write.step ?? null)}::pipeline_step, x.step)${usageSql(write.modelCalls, bind)}${finished}
    FROM w_fence WHERE x.id = $4 RETURNING x.cancel_requested`
}

function eventsSql(write: TurnWrite, bind: Bind): string {
  const rows = write.events.map(({ at, turnId, body: { type, ...data } }) => ({ at, turn_id: turnId, type, data }))
  return `INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT $1, f.base + e.n, e.at, e.turn_id, e.type, e.data FROM w_fence f, ROWS FROM (
      jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)
    ) WITH ORDINALITY AS e (at, turn_id, type, data, n)`
}

function plansSql(write: TurnWrite, bind: Bind): string {
  return `INSERT INTO plans (id, session_id, turn_id, attempt, goal, replan_reason, created_at)
    SELECT p.id, $1, $4, p.attempt, p.goal, p."replanReason", p."createdAt"
    FROM w_fence, jsonb_to_recordset(${bind(JSON.stringify(write.plans))}::jsonb)
      AS p (id text, attempt int, goal text, "replanReason" text, "createdAt" timestamptz)`
}

/** The columns of a TaskPatch, and their types, as jsonb_to_recordset wants them. */
const PATCH_COLUMNS = `status task_status, output text, stderr text, truncated boolean, "exitCode" int, final boolean,
  "reviewVerdict" review_verdict, "reviewReason" text, "startedAt" timestamptz, "finishedAt" timestamptz`

function tasksSql(tasks: readonly NewTask[], bind: Bind): string {
  const rows = tasks.map(({ patch, ...task }) => ({ ...task, ...patch }))
  return `INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, expect, status, output, stderr, truncated,
      exit_code, final, review_verdict, review_reason, started_at, finished_at)
    SELECT p.id, $1, $4, p."planId", p.index, p.type, p.detail, p.expect, coalesce(p.status, 'PENDING'), p.output, p.stderr,
      coalesce(p.truncated, false), p."exitCode", coalesce(p.final, false), p."reviewVerdict", p."reviewReason",
      p."startedAt", p."finishedAt"
    FROM w_fence, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb)
      AS p (id text, "planId" text, index int, type task_type, detail text, expect text, ${PATCH_COLUMNS})`
}

function patchesSql(write: TurnWrite, bind: Bind): string {
  const rows = [...(write.taskPatches ?? new Map<string, TaskPatch>())].map(([id, patch]) => ({ id, ...patch }))
  return `UPDATE tasks x SET status = coalesce(p.status, x.status), output = coalesce(p.output, x.output),
      stderr = coalesce(p.stderr, x.stderr), truncated = coalesce(p.truncated, x.truncated),
      exit_code = coalesce(p."exitCode", x.exit_code), final = coalesce(p.final, x.final),
      review_verdict = coalesce(p."reviewVerdict", x.review_verdict), review_reason = coalesce(p."reviewReason", x.review_reason),
      started_at = coalesce(p."startedAt", x.started_at), finished_at = coalesce(p."finishedAt", x.finished_at)
    FROM w_fence, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb) AS p (id text, ${PATCH_COLUMNS})
    WHERE x.id = p.id AND x.id = ANY(${bind(rows.map((row) => row.id))}::text[])`
}

function callsSql(write: TurnWrite, bind: Bind): string {
  const rows = (write.modelCalls ?? []).map((call) => ({ id: newId('modelCall'), ...call }))
  return `INSERT INTO model_calls (id, session_id, turn_id, role, provider, model, status, input_tokens, output_tokens,
      cached_tokens, cost, duration_ms, at)
    SELECT c.id, $1, $4, c.role, c.provider, c.model, c.status, c."inputTokens", c."outputTokens", c."cachedTokens", c.cost,
      c."durationMs", c.at
    FROM w_fence, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb)
      AS c (id text, role text, provider text, model text, status text, "inputTokens" int, "outputTokens" int,
        "cachedTokens" int, cost float8, "durationMs" int, at timestamptz)`
}

/** Only the turn's own part of the log is looked through: its events come after its message. */
function deltasSql(write: TurnWrite, turnSeq: number, bind: Bind): string {
  return `DELETE FROM events x USING w_fence WHERE x.session_id = $1 AND x.seq > ${bind(turnSeq)} AND x.type = 'MessageOutput'
    AND x.data->>'taskId' = ANY(${bind(write.dropDeltasOf)}::text[]) AND x.data->>'delta' IS NOT NULL`
}

function messageSql(messageId: string, status: string, bind: Bind): string {
  return `UPDATE messages x SET status = ${bind(status)}::message_status FROM w_fence WHERE x.id = ${bind(messageId)}`
}
