/**
 * How a checkpoint ends, in one statement. What the introspector's calls have cost is accounted in any case; everything
 * else holds only under the claim, and what a checkpoint learned only if it begins where the last one ended. So a span
 * is covered once, at whatever point a process dies, and a failed checkpoint moves nothing.
 */
import type { NewAuditEntry } from '../../core/audit-entry.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { LearningEntry, NewCallTexts } from '../../core/turn-write.ts'
import type { SessionEvent, SessionEventBody } from '../../core/session-event.ts'
import { AUDIT_RECORD, auditRows, INSERT_AUDIT } from '../audit-entries.ts'
import { CALL_TEXTS_RECORD, callTextsRows, INSERT_CALL_TEXTS } from '../turn/model-call-texts.ts'
import { INSERT_PROMPTS, ON_PROMPT_KEPT, PROMPTS_RECORD, sharePrompts } from '../turn/system-prompts.ts'
import type { CheckpointClaim } from './checkpoints.ts'
import { dueCurationSql } from './curation-jobs.ts'
import type { Database } from '../database.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql, type Sql } from '../sql.ts'
import { ENTRY_COLUMNS, ENTRY_RECORD, ENTRY_VALUES } from './learning-entry.ts'

/** What the introspector asks of a session, in a row or what follows from one. */
export interface CheckpointResult {
  /** The span: behind the message with seq `fromSeq`, up to that with `toSeq`. */
  readonly fromSeq: number
  readonly toSeq: number
  /** Turns of the session that had ended when the span was read. */
  readonly turnCount: number
  readonly workingMemory: string
  /** Null: as it is. A client's own one stays in any case. */
  readonly description: string | null
  readonly learnings: readonly {
    readonly id: string
    readonly userName: string | null
    readonly content: string
    readonly norm: string
    readonly entry: LearningEntry
  }[]
}

/** How the making of a checkpoint ended. */
export type CheckpointOutcome =
  | { readonly kind: 'Done'; readonly result: CheckpointResult }
  /** `againInMs`: when it is tried again; null: it is given up. `failure` is for people. */
  | { readonly kind: 'Failed'; readonly failure: string; readonly againInMs: number | null }
  /** Its claim is given up: nothing is written but what it has cost. */
  | { readonly kind: 'Stopped' }

interface CheckpointEnd {
  readonly outcome: CheckpointOutcome
  readonly calls: readonly ModelCallRecord[]
  /** Entries of the calls. */
  readonly audit: readonly NewAuditEntry[]
  /** What was said in them. */
  readonly texts: readonly NewCallTexts[]
  readonly at: Date
}

/** Returns the events that came of it; none when the claim no longer holds or the session is gone. */
export async function commitCheckpoint(
  database: Database,
  { sessionId, runId, reason }: CheckpointClaim,
  { outcome, calls, audit, texts, at }: CheckpointEnd,
): Promise<readonly SessionEvent[]> {
  const body = eventOf(reason, outcome)
  const common = { session_id: sessionId, run_id: runId, at, audit: auditRows(audit), ...usageOf(calls) }
  const prompts = sharePrompts(database, texts)
  const said = { texts: callTextsRows(prompts.texts), prompts: JSON.stringify(prompts.due) }
  const event = { event: JSON.stringify(body === null ? {} : dataOf(body)) }
  const [row] = await (outcome.kind === 'Done'
    ? DONE<Row>(database, { ...common, ...said, ...event, ...resultInput(outcome.result) })
    : outcome.kind === 'Failed'
      ? FAILED<Row>(database, { ...common, ...said, ...event, again_ms: outcome.againInMs })
      : STOPPED<Row>(database, common))
  if (row === undefined || body === null || row.seqs.length === 0) return []
  prompts.noteKept()
  const bodies: readonly SessionEventBody[] = [body, { type: 'SessionUpdated' }]
  return row.seqs.map((seq, index): SessionEvent => {
    return { ...(bodies[index] ?? body), seq, at, sessionId, turnId: null }
  })
}

/** What the curator's calls have cost, outside a turn; also when the session is gone. */
export async function accountCalls(
  database: Database,
  { sessionId, runId }: Pick<CheckpointClaim, 'sessionId' | 'runId'>,
  { calls, audit, at }: Pick<CheckpointEnd, 'calls' | 'audit' | 'at'>,
): Promise<void> {
  await STOPPED(database, { session_id: sessionId, run_id: runId, at, audit: auditRows(audit), ...usageOf(calls) })
}

interface Row {
  /** Of the Checkpoint event, and of SessionUpdated when the description changed. */
  readonly seqs: readonly number[]
}

function eventOf(
  reason: CheckpointClaim['reason'],
  outcome: CheckpointOutcome,
): Extract<SessionEventBody, { type: 'Checkpoint' }> | null {
  if (outcome.kind === 'Stopped') return null
  const failure = outcome.kind === 'Failed' ? outcome.failure : null
  return { type: 'Checkpoint', reason, ok: failure === null, failure }
}

function dataOf({ type: _type, ...data }: SessionEventBody): object {
  return data
}

const COMMON_INPUT = {
  session_id: 'text',
  run_id: 'text',
  at: 'timestamptz',
  audit: 'jsonb',
  calls: 'int',
  input_tokens: 'bigint',
  output_tokens: 'bigint',
  cached_tokens: 'bigint',
  cost: 'float8',
} as const

function usageOf(calls: readonly ModelCallRecord[]) {
  const sum = (of: (call: ModelCallRecord) => number): number => calls.reduce((total, call) => total + of(call), 0)
  return {
    calls: calls.length,
    input_tokens: sum((call) => call.inputTokens),
    output_tokens: sum((call) => call.outputTokens),
    cached_tokens: sum((call) => call.cachedTokens),
    cost: calls.some((call) => call.cost !== null) ? sum((call) => call.cost ?? 0) : null,
  }
}

const RESULT_INPUT = {
  from_seq: 'int',
  to_seq: 'int',
  turn_count: 'int',
  working_memory: 'text',
  description: 'text',
  learnings: 'jsonb',
} as const

function resultInput(result: CheckpointResult): Readonly<Record<keyof typeof RESULT_INPUT, unknown>> {
  return {
    from_seq: result.fromSeq,
    to_seq: result.toSeq,
    turn_count: result.turnCount,
    working_memory: result.workingMemory,
    description: result.description,
    learnings: JSON.stringify(result.learnings),
  }
}

/** Locks the session's row first, as every transaction that writes to a session does, so that none deadlocks. */
const HELD = sql`held AS MATERIALIZED (
    SELECT s.id, s.checkpoint_seq, s.description, s.description_source FROM input JOIN sessions s ON s.id = input.session_id
    FOR UPDATE OF s)`

const ADD_USAGE = sql`model_calls = x.model_calls + input.calls, input_tokens = x.input_tokens + input.input_tokens,
      output_tokens = x.output_tokens + input.output_tokens, cached_tokens = x.cached_tokens + input.cached_tokens,
      cost = coalesce(x.cost + input.cost, x.cost, input.cost)`

/** Also when the session is gone: the calls were made. */
const AUDITED = sql`audited AS (
    ${INSERT_AUDIT}
    SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
    FROM input, jsonb_to_recordset(input.audit) AS a (${AUDIT_RECORD}))`

/** Only under the claim: an erasure takes that away, and the prompt may hold what was erased. */
const saidIn = (claim: Sql): Sql => sql`prompts AS (${INSERT_PROMPTS}
    FROM ${claim} claim, input, jsonb_to_recordset(input.prompts) AS p (${PROMPTS_RECORD})${ON_PROMPT_KEPT}),
  said AS (
    ${INSERT_CALL_TEXTS}
    SELECT c.id, claim.session_id, c.at, c.system, c.system_sha256, c.prompt, c.answer
    FROM ${claim} claim, input, jsonb_to_recordset(input.texts) AS c (${CALL_TEXTS_RECORD}))`

const DONE = intakeStatement(
  'checkpoint.done',
  { ...COMMON_INPUT, texts: 'jsonb', prompts: 'jsonb', event: 'jsonb', ...RESULT_INPUT },
  sql`${HELD},
  claim AS (
    DELETE FROM checkpoints c USING held, input
    WHERE c.session_id = held.id AND c.run_id = input.run_id AND held.checkpoint_seq = input.from_seq RETURNING c.session_id),
  made AS MATERIALIZED (
    SELECT held.id, claim.session_id IS NOT NULL AS holds, coalesce(claim.session_id IS NOT NULL AND input.description IS NOT NULL
      AND held.description_source IS DISTINCT FROM 'CLIENT' AND held.description IS DISTINCT FROM input.description, false) AS describes
    FROM input, held LEFT JOIN claim ON true),
  session AS (
    UPDATE sessions x SET ${ADD_USAGE}, last_seq = x.last_seq + made.holds::int + made.describes::int,
      checkpoint_seq = CASE WHEN made.holds THEN input.to_seq ELSE x.checkpoint_seq END,
      checkpoint_turns = CASE WHEN made.holds THEN input.turn_count ELSE x.checkpoint_turns END,
      working_memory = CASE WHEN made.holds THEN input.working_memory ELSE x.working_memory END,
      description = CASE WHEN made.describes THEN input.description ELSE x.description END,
      description_source = CASE WHEN made.describes THEN 'INTROSPECTION' ELSE x.description_source END
    FROM made, input WHERE x.id = made.id RETURNING x.last_seq),
  learned AS (
    INSERT INTO learnings (id, session_id, user_name, content, norm, created_at, ${ENTRY_COLUMNS})
    SELECT l.id, made.id, l."userName", l.content, l.norm, input.at, ${ENTRY_VALUES} FROM made, input,
      jsonb_to_recordset(input.learnings) AS l (id text, "userName" text, content text, norm text, entry jsonb),
      ${ENTRY_RECORD} WHERE made.holds),
  judged AS (
    ${dueCurationSql(sql`SELECT made.id, now() FROM made, input WHERE made.holds AND EXISTS (
      SELECT FROM jsonb_to_recordset(input.learnings) AS l (entry jsonb)
      WHERE l.entry->>'status' = 'PENDING' AND NOT (l.entry->>'held')::boolean)`)}),
  events AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT made.id, session.last_seq - made.describes::int, input.at, NULL, 'Checkpoint', input.event FROM made, session, input WHERE made.holds
    UNION ALL SELECT made.id, session.last_seq, input.at, NULL, 'SessionUpdated', '{}' FROM made, session, input WHERE made.describes),
  ${saidIn(sql`claim`)},
  ${AUDITED}
  SELECT CASE WHEN made.describes THEN ARRAY[session.last_seq - 1, session.last_seq]
    WHEN made.holds THEN ARRAY[session.last_seq] ELSE '{}' END AS seqs FROM made, session`,
)

/** `again_ms` null: the row goes. */
const FAILED = intakeStatement(
  'checkpoint.failed',
  { ...COMMON_INPUT, texts: 'jsonb', prompts: 'jsonb', event: 'jsonb', again_ms: 'float8' },
  sql`${HELD},
  claim AS MATERIALIZED (
    SELECT c.session_id, c.run_id FROM held, input, checkpoints c
    WHERE c.session_id = held.id AND c.run_id = input.run_id FOR UPDATE OF c),
  given_up AS (
    DELETE FROM checkpoints c USING claim, input WHERE c.session_id = claim.session_id AND input.again_ms IS NULL),
  waits AS (
    UPDATE checkpoints c SET failures = c.failures + 1, run_id = NULL, leased_until = NULL,
      ready_at = now() + input.again_ms * interval '1 millisecond'
    FROM claim, input WHERE c.session_id = claim.session_id AND input.again_ms IS NOT NULL),
  session AS (
    UPDATE sessions x SET ${ADD_USAGE}, last_seq = x.last_seq + (SELECT count(*)::int FROM claim)
    FROM held, input WHERE x.id = held.id RETURNING x.last_seq),
  events AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT claim.session_id, session.last_seq, input.at, NULL, 'Checkpoint', input.event FROM claim, session, input),
  ${saidIn(sql`claim`)},
  ${AUDITED}
  SELECT ARRAY(SELECT session.last_seq FROM claim) AS seqs FROM session`,
)

const STOPPED = intakeStatement(
  'checkpoint.stopped',
  COMMON_INPUT,
  sql`session AS (UPDATE sessions x SET ${ADD_USAGE} FROM input WHERE x.id = input.session_id),
  released AS (
    UPDATE checkpoints c SET run_id = NULL, leased_until = NULL FROM input
    WHERE c.session_id = input.session_id AND c.run_id = input.run_id),
  ${AUDITED}
  SELECT '{}'::int[] AS seqs`,
)
