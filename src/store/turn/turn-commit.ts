/**
 * The one way in which a turn writes: events and the changes they tell of, in one statement, fenced by the lease. The
 * update of the session row comes first: it checks the lease, takes the row's lock and draws the `seq`s, and every
 * other part hangs on its result. Who lost the lease therefore writes nothing at all, and order of commit is order of
 * seq.
 *
 * The write that ends the last turn of the queue also gives the session back, and so does one behind which messages are
 * still collected. Whether something waits is asked of the session's own row, which PostgreSQL reads again after
 * waiting for its lock: a message accepted a moment before is seen.
 */
import { hash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { BusyPolicy } from '../../core/status.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import type { Database, Statement } from '../database.ts'
import { approvalsSql, settledApprovalsAuditSql, settledApprovalsSql } from './turn-commit-approvals.ts'
import { FENCE, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'
import { finishedSessionSql, joinedEndsSql } from './turn-commit-finish.ts'
import {
  answersAuditSql,
  answersSql,
  curatedAuditSql,
  curatedSql,
  factsSql,
  factsUsedSql,
  factVersionsSql,
  type EndedMessage,
  learningsSql,
  messageTextsSql,
  questionsSql,
} from './turn-commit-knowledge.ts'
import { deltasSql, patchesSql, plansSql, tasksSql } from './turn-commit-plan.ts'
import { auditSql, deliveriesSql, filesSql } from './turn-commit-records.ts'

/** A node's right to run a session's turns, from claim to release. */
export interface Lease {
  readonly sessionId: string
  readonly node: number
  readonly epoch: number
}

/** Which turn writes. `seq` is that of its message, so the turn's own events come after it. */
export interface TurnRef {
  readonly id: string
  readonly seq: number
  readonly messageId: string
}

/** What the database answers to a commit, for what the turn does next. */
export interface Committed {
  readonly events: readonly SessionEvent[]
  /** The turn's end was requested, perhaps at another node. */
  readonly cancelRequested: boolean
  /** The turn's user is a participant of the session. */
  readonly participates: boolean
  /**
   * The turn ended and nothing is to follow it now, or it waits without a worker: the session is free, and the lease is
   * no more.
   */
  readonly released: boolean
  /** As of this commit. */
  readonly busyPolicy: BusyPolicy
  /** Turns of the session that have ended since its last checkpoint. */
  readonly turnsSinceCheckpoint: number
  /** Texts wait to be posted to the session's webhook. */
  readonly hasDeliveries: boolean
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
    participates: row.participates,
    released: row.released,
    busyPolicy: row.busy_policy,
    turnsSinceCheckpoint: row.turns_since,
    hasDeliveries: row.has_webhook && isFilled(write.deliveries),
  }
}

interface Row {
  readonly base: number
  readonly turns_since: number
  readonly released: boolean
  readonly busy_policy: BusyPolicy
  readonly cancel_requested: boolean
  readonly participates: boolean
  readonly has_webhook: boolean
}

/**
 * Each part of a write that is there adds its fragment. Values are bound, so the texts are few, and each is prepared.
 */
function render(lease: Lease, turn: TurnRef, write: TurnWrite): { statement: Statement; values: unknown[] } {
  const values: unknown[] = [lease.sessionId, lease.node, lease.epoch, turn.id]
  const bind: Bind = (value) => `$${values.push(value)}`
  const parts = { fence: fenceSql(write, bind), turn: turnSql(write, bind), ...listParts(turn, write, bind) }
  const text = `WITH ${Object.entries(parts)
    .map(([name, sql]) => `w_${name} AS (${sql})`)
    .join(',\n')}
SELECT f.base, f.turns_since, f.owner IS NULL AS released, f.busy_policy, f.webhook IS NOT NULL AS has_webhook, t.cancel_requested,
  EXISTS (SELECT 1 FROM participants p WHERE p.session_id = $1 AND p.user_name = t.user_name) AS participates
  FROM w_fence f, w_turn t`
  // Named by the whole text: two texts under one name are an error. PostgreSQL compares a name's first 63 characters
  // only.
  return { statement: { name: `turn.${hash('sha1', text)}`, text }, values }
}

/**
 * A fragment hangs on those before it by their names: `curations` gives rise to facts, their first versions, and
 * questions.
 */
function listParts(turn: TurnRef, write: TurnWrite, bind: Bind): Record<string, Fenced> {
  const { plans, tasks, taskPatches, dropDeltasOf, learnings, curations, factsUsed, answers } = write
  const { messageTexts, deliveries, files, audit, approvals, settledApprovals, finish } = write
  const parts: Record<string, Fenced> = {}
  if (write.events.length > 0) parts['events'] = eventsSql(write, bind)
  if (isFilled(plans)) parts['plans'] = plansSql(plans, bind)
  if (isFilled(tasks)) parts['tasks'] = tasksSql(tasks, bind)
  if (taskPatches !== undefined && taskPatches.size > 0) parts['patches'] = patchesSql(taskPatches, bind)
  if (isFilled(dropDeltasOf)) parts['deltas'] = deltasSql(dropDeltasOf, turn.seq, bind)
  if (isFilled(learnings)) parts['learnings'] = learningsSql(learnings, bind)
  if (isFilled(curations)) {
    parts['curated'] = curatedSql(curations, bind)
    parts['facts'] = factsSql()
    parts['fact_versions'] = factVersionsSql()
    parts['questions'] = questionsSql()
    parts['curated_audit'] = curatedAuditSql()
  }
  if (isFilled(factsUsed)) parts['facts_used'] = factsUsedSql(factsUsed, bind)
  if (isFilled(answers)) {
    parts['answers'] = answersSql(answers, bind)
    parts['answers_audit'] = answersAuditSql()
  }
  if (isFilled(deliveries)) parts['deliveries'] = deliveriesSql(deliveries, bind)
  if (isFilled(files)) parts['files'] = filesSql(files, bind)
  if (isFilled(audit)) parts['audit'] = auditSql(audit, bind)
  if (isFilled(approvals)) parts['approvals'] = approvalsSql(approvals, bind)
  if (isFilled(settledApprovals)) {
    parts['settled_approvals'] = settledApprovalsSql(settledApprovals, bind)
    parts['settled_approvals_audit'] = settledApprovalsAuditSql()
  }
  const ended = finish === undefined ? [] : endedMessages(turn, finish)
  const [only, ...more] = ended
  if (isFilled(messageTexts) || more.length > 0) parts['messages'] = messageTextsSql(messageTexts ?? [], ended, bind)
  else if (only !== undefined) parts['messages'] = endedMessageSql(only, bind)
  if (isFilled(finish?.joined)) parts['joined'] = joinedEndsSql(finish, finish.joined, bind)
  return parts
}

function endedMessages(turn: TurnRef, { status, joined = [] }: NonNullable<TurnWrite['finish']>): EndedMessage[] {
  return [{ id: turn.messageId, status }, ...joined.map((end) => ({ id: end.messageId, status: end.status }))]
}

function isFilled<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0
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
  const { finish, pause, summary, preview } = write
  const finished = finish === undefined ? '' : finishedSessionSql(finish, bind)
  const paused = pause === undefined ? '' : pauseSql(write, pause, bind)
  const settled = isFilled(write.settledApprovals) ? ', open_approvals = 0' : ''
  const summarised = summary === undefined ? '' : summarySql(summary, bind)
  const previewed = preview === undefined ? '' : previewSql(preview, bind)
  return `UPDATE sessions x SET last_seq = x.last_seq + ${bind(write.events.length)}::int${usageSql(write.modelCalls, bind)}${finished}${paused}${settled}${summarised}${previewed}
    WHERE x.id = $1 AND x.owner = $2 AND x.epoch = $3
    RETURNING x.last_seq - ${bind(write.events.length)}::int AS base, x.turn_count - x.checkpoint_turns AS turns_since, x.owner, x.busy_policy, x.webhook, x.webhook_token`
}

/**
 * Whether approvals are still open is asked of the row as it is once its lock is held: a decision made a moment before
 * is seen.
 */
function pauseSql(write: TurnWrite, pause: NonNullable<TurnWrite['pause']>, bind: Bind): string {
  const until = `${bind(pause.until)}::timestamptz`
  if (pause.forApproval !== true) return `, owner = NULL, turn_user = NULL, ready_at = ${until}`
  const open = `x.open_approvals + ${bind(write.approvals?.length ?? 0)}::int`
  return `, owner = NULL, turn_user = NULL, status = 'AWAITING_APPROVAL', open_approvals = ${open},
    ready_at = CASE WHEN ${open} > 0 THEN ${until} ELSE now() END`
}

/** Compared by its hash: what must go from the row must not come along as a parameter, which servers may log. */
function previewSql({ wasSha256, now }: NonNullable<TurnWrite['preview']>, bind: Bind): string {
  const isStill = `encode(sha256(convert_to(x.last_message_preview, 'UTF8')), 'hex') = ANY(${bind(wasSha256)}::text[])`
  return `, last_message_preview = CASE WHEN ${isStill} THEN ${bind(now)}::text ELSE x.last_message_preview END`
}

/** A summary that another one has overtaken is dropped. */
function summarySql({ text, fromSeq, toSeq }: NonNullable<TurnWrite['summary']>, bind: Bind): string {
  const isNext = `x.summary_seq = ${bind(fromSeq)}::int`
  return `, summary = CASE WHEN ${isNext} THEN ${bind(text)}::text ELSE x.summary END,
    summary_seq = CASE WHEN ${isNext} THEN ${bind(toSeq)}::int ELSE x.summary_seq END`
}

function turnSql(write: TurnWrite, bind: Bind): Fenced {
  const { finish, pause, failure, hostDied } = write
  const died = hostDied === undefined ? '' : ', takeovers = x.takeovers + 1'
  const failed = failure === undefined || finish !== undefined ? '' : `, failure = ${bind(failure)}::text`
  const paused =
    pause === undefined
      ? ''
      : `, paused_at = ${bind(pause.at)}::timestamptz, paused_reason = ${bind(pause.reason)}::text${
          pause.forApproval === true ? `, status = 'AWAITING_APPROVAL'` : ''
        }`
  const finished =
    finish === undefined
      ? ''
      : `, status = ${bind(finish.status)}::turn_status, failure = ${bind(finish.failure)}::text, finished_at = ${bind(finish.at)}::timestamptz`
  return fenced`UPDATE turns x SET step = coalesce(${bind(write.step ?? null)}::pipeline_step, x.step)${usageSql(write.modelCalls, bind)}${died}${finished}${failed}${paused}
    FROM ${FENCE} WHERE x.id = $4 RETURNING x.cancel_requested, x.user_name`
}

function eventsSql(write: TurnWrite, bind: Bind): Fenced {
  const rows = write.events.map(({ at, turnId, body: { type, ...data } }) => ({ at, turn_id: turnId, type, data }))
  return fenced`INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT $1, f.base + e.n, e.at, e.turn_id, e.type, e.data FROM ${FENCE} f, ROWS FROM (
      jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb) AS (at timestamptz, turn_id text, type text, data jsonb)
    ) WITH ORDINALITY AS e (at, turn_id, type, data, n)`
}

function endedMessageSql({ id, status }: EndedMessage, bind: Bind): Fenced {
  return fenced`UPDATE messages x SET status = ${bind(status)}::message_status FROM ${FENCE} WHERE x.id = ${bind(id)}`
}
