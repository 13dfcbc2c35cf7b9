/**
 * The outbox of webhooks, as its runners see it: which delivery of a session is next, the right to attempt it, and what
 * became of the attempt.
 *
 * What must hold: deliveries of a session are attempted in order of `seq`, one at a time, over all processes. An
 * attempt is counted before it is made, and `next_attempt_at` then says until when it belongs to the process that
 * counted it: should that process die, the delivery is due again. What an attempt came to is written only while it is
 * still the last one counted.
 */
import type { DeliveryStatus } from '../core/status.ts'
import { ERASED } from '../core/text/erased.ts'
import { newId } from '../platform/id.ts'
import { INSERT_AUDIT } from './audit-entries.ts'
import type { Database, Statement } from './database.ts'
import { shownUrl } from './shown-url.ts'

/** The first pending delivery of a session. */
export interface NextDelivery {
  readonly id: string
  /** Where it would go now; null: the session has no webhook any more. */
  readonly url: string | null
  /** By the database's time. */
  readonly isDue: boolean
  readonly dueAt: Date
}

const NEXT_COLUMNS = `d.id, s.webhook AS url, d.next_attempt_at <= now() AS "isDue", d.next_attempt_at AS "dueAt"`
const PENDING = `d.status = 'PENDING'`

const NEXT: Statement = {
  name: 'delivery.next',
  plansOnce: true,
  text: `SELECT ${NEXT_COLUMNS} FROM deliveries d JOIN sessions s ON s.id = d.session_id
    WHERE d.session_id = $1 AND ${PENDING} ORDER BY d.seq LIMIT 1`,
}

/** Reads the first pending delivery of the session, due or not, without claiming it. Null: none is pending. */
export async function nextDelivery(database: Database, sessionId: string): Promise<NextDelivery | null> {
  const [row] = await database.query<NextDelivery>(NEXT, [sessionId])
  return row ?? null
}

/** A delivery that is to be attempted now. */
export interface ClaimedDelivery {
  readonly id: string
  readonly sessionId: string
  readonly taskId: string
  /** Null: the session has no webhook any more. */
  readonly url: string | null
  /** The token that set the webhook. */
  readonly tokenName: string | null
  /** Names of users. */
  readonly participants: readonly string[]
  readonly content: string
  readonly final: boolean
  /** This attempt included. */
  readonly attempts: number
  readonly ageMs: number
  /** The session's text before it was given up at the same webhook. */
  readonly isAfterDead: boolean
}

/**
 * A delivery goes where the session's webhook is at the attempt, so that a wrong one can be mended. That a text before
 * it was erased says nothing of the webhook.
 */
const CLAIM: Statement = {
  name: 'delivery.claim',
  plansOnce: true,
  text: `UPDATE deliveries d SET attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond',
      url = coalesce(s.webhook, d.url), token_name = coalesce(s.webhook_token, d.token_name)
    FROM sessions s, tasks t
    WHERE d.id = $1 AND ${PENDING} AND d.next_attempt_at <= now() AND s.id = d.session_id AND t.id = d.task_id
      AND NOT EXISTS (
        SELECT FROM deliveries e WHERE e.session_id = d.session_id AND e.status = 'PENDING' AND e.seq < d.seq)
    RETURNING d.id, d.session_id AS "sessionId", d.task_id AS "taskId", s.webhook AS url, s.webhook_token AS "tokenName",
      ARRAY(SELECT p.user_name FROM participants p WHERE p.session_id = d.session_id) AS participants,
      coalesce(t.output, '') AS content, d.final, d.attempts,
      extract(epoch FROM now() - d.created_at)::float8 * 1000 AS "ageMs", coalesce(
        (SELECT b.status = 'DEAD' AND b.url = s.webhook AND u.output IS DISTINCT FROM $3::text
          FROM deliveries b JOIN tasks u ON u.id = b.task_id
          WHERE b.session_id = d.session_id AND b.seq < d.seq ORDER BY b.seq DESC LIMIT 1), false) AS "isAfterDead"`,
}

/** No attempt takes longer, with its outcome stored: what is to be attempted later than that is not under way. */
export const LONGEST_ATTEMPT_MS = 20_000

/**
 * Null: it is no longer due, as another process attempts it; or one before it is pending by now: another process tries
 * that again, or an admin has it posted again.
 */
export async function claimDelivery(database: Database, id: string, leaseMs: number): Promise<ClaimedDelivery | null> {
  const [row] = await database.query<ClaimedDelivery>(CLAIM, [id, leaseMs, ERASED])
  return row ?? null
}

/** What an attempt came to. */
export interface DeliveryOutcome {
  readonly status: DeliveryStatus
  readonly statusCode: number | null
  readonly error: string | null
  /** With PENDING: the pause before the next attempt. */
  readonly waitMs: number
  /** The address as the audit may show it. */
  readonly shownUrl: string
}

const SETTLE: Statement = {
  name: 'delivery.settle',
  plansOnce: true,
  text: `WITH settled AS (
      UPDATE deliveries d SET status = $3::delivery_status, last_status_code = $4::int, last_error = $5::text,
        next_attempt_at = CASE WHEN $3 = 'PENDING' THEN now() + $6::float8 * interval '1 millisecond' END,
        delivered_at = CASE WHEN $3 = 'DELIVERED' THEN now() END
      WHERE d.id = $1 AND d.attempts = $2 AND ${PENDING}
      RETURNING d.session_id, d.task_id, d.token_name, d.attempts, d.next_attempt_at),
    audit AS (
      ${INSERT_AUDIT}
      SELECT $7, now(), 'DELIVERY', settled.session_id, t.turn_id, 'delivery', settled.token_name,
        jsonb_build_object('deliveryId', $1::text, 'taskId', settled.task_id, 'url', $8::text, 'status', $3::text,
          'statusCode', $4::int, 'attempts', settled.attempts)
      FROM settled JOIN tasks t ON t.id = settled.task_id)
    SELECT $1 AS id, NULL AS url, false AS "isDue", settled.next_attempt_at AS "dueAt" FROM settled WHERE $3 = 'PENDING'
    UNION ALL (SELECT ${NEXT_COLUMNS} FROM deliveries d JOIN sessions s ON s.id = d.session_id
      WHERE $3 <> 'PENDING' AND d.session_id = $9 AND ${PENDING} AND d.id <> $1 ORDER BY d.seq LIMIT 1)`,
}

/**
 * Stores what the attempt came to, with its audit entry, and returns the session's next delivery. An outcome that comes
 * too late (another process has attempted it since) is not stored.
 */
export async function settleDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  outcome: DeliveryOutcome,
): Promise<NextDelivery | null> {
  const { status, statusCode, error, waitMs, shownUrl } = outcome
  const attempt = [claimed.id, claimed.attempts, status, statusCode, error, waitMs]
  const [row] = await database.query<NextDelivery>(SETTLE, [...attempt, newId('audit'), shownUrl, claimed.sessionId])
  return row ?? null
}

const HAND_BACK: Statement = {
  name: 'delivery.hand-back',
  text: `UPDATE deliveries d SET attempts = d.attempts - 1, next_attempt_at = now()
    WHERE d.id = $1 AND d.attempts = $2 AND ${PENDING}`,
}

/** An attempt that was broken off because this process stops does not count. */
export async function handBackDelivery(database: Database, claimed: ClaimedDelivery): Promise<void> {
  await database.query(HAND_BACK, [claimed.id, claimed.attempts])
}

const WAITING: Statement = {
  name: 'delivery.waiting',
  text: `SELECT session_id AS "sessionId" FROM (
      SELECT DISTINCT ON (d.session_id) d.session_id, d.next_attempt_at FROM deliveries d WHERE ${PENDING}
      ORDER BY d.session_id, d.seq) next
    WHERE next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $1`,
}

/** Sessions whose next delivery is due, those that wait longest first. */
export async function sessionsWithDueDeliveries(database: Database, limit: number): Promise<string[]> {
  const rows = await database.query<{ sessionId: string }>(WAITING, [limit])
  return rows.map(({ sessionId }) => sessionId)
}

/** Of row `d`: it was delivered or given up, or it failed and pauses for long. */
const MAY_REOPEN = `(NOT ${PENDING}
      OR coalesce(d.next_attempt_at > clock_timestamp() + ${LONGEST_ATTEMPT_MS} * interval '1 millisecond', false))`

type ReopenResult =
  | { readonly kind: 'Reopened'; readonly sessionId: string }
  | { readonly kind: 'NoDelivery' }
  | { readonly kind: 'StillPending' }
  | { readonly kind: 'NoWebhook'; readonly sessionId: string }

const REOPEN: Statement = {
  name: 'delivery.reopen',
  text: `WITH held AS (
      SELECT d.id, ${MAY_REOPEN} AS may_reopen, d.session_id, d.task_id, s.webhook, s.webhook_token
      FROM deliveries d JOIN sessions s ON s.id = d.session_id WHERE d.id = $1 FOR UPDATE OF d),
    again AS (
      UPDATE deliveries d SET status = 'PENDING', attempts = 0, next_attempt_at = now(), delivered_at = NULL
      FROM held WHERE d.id = held.id AND held.may_reopen AND held.webhook IS NOT NULL
      RETURNING d.session_id, d.task_id),
    audit AS (
      ${INSERT_AUDIT}
      SELECT $2, now(), 'DELIVERY', again.session_id, t.turn_id, $3, $4,
        jsonb_build_object('deliveryId', $1::text, 'taskId', again.task_id, 'url',
          (SELECT ${shownUrl('webhook')} FROM held), 'status', 'PENDING', 'statusCode', NULL::int, 'attempts', 0)
      FROM again JOIN tasks t ON t.id = again.task_id)
    SELECT held.session_id AS "sessionId", NOT held.may_reopen AS "isAttempted", held.webhook IS NOT NULL AS "hasWebhook"
    FROM held`,
}

/**
 * Makes a delivery due that was delivered or given up, or that pauses for long, under the same id, its attempts
 * counted anew.
 */
export async function reopenDelivery(
  database: Database,
  id: string,
  by: { readonly userName: string | null; readonly tokenName: string },
): Promise<ReopenResult> {
  const values = [id, newId('audit'), by.userName, by.tokenName]
  const [row] = await database.query<{ sessionId: string; isAttempted: boolean; hasWebhook: boolean }>(REOPEN, values)
  if (row === undefined) return { kind: 'NoDelivery' }
  const against = againstReopening(row)
  if (against === 'StillPending') return { kind: against }
  return { kind: against ?? 'Reopened', sessionId: row.sessionId }
}

/** What stands against posting a delivery again, as REOPEN sees it; null: nothing. */
export function againstReopening({
  isAttempted,
  hasWebhook,
}: {
  readonly isAttempted: boolean
  readonly hasWebhook: boolean
}): 'StillPending' | 'NoWebhook' | null {
  if (isAttempted) return 'StillPending'
  return hasWebhook ? null : 'NoWebhook'
}

/** An attempt is under way, or comes so soon that there is nothing to hasten; as REOPEN sees it. */
export function isAttempted(
  { status, nextAttemptAt }: { readonly status: DeliveryStatus; readonly nextAttemptAt: Date | null },
  now: Date,
): boolean {
  const pausesUntil = nextAttemptAt?.getTime() ?? 0
  return status === 'PENDING' && pausesUntil <= now.getTime() + LONGEST_ATTEMPT_MS
}

/** Which deliveries are to be posted again. */
export interface ReopenFilter {
  /** With PENDING: those that pause for long. */
  readonly status: readonly DeliveryStatus[]
  /** Null: of all sessions. */
  readonly sessionId: string | null
}

const REOPEN_ALL: Statement = {
  name: 'delivery.reopen-all',
  text: `WITH held AS MATERIALIZED (
      SELECT d.id, d.task_id, s.webhook FROM deliveries d JOIN sessions s ON s.id = d.session_id
      WHERE d.status = ANY ($1::delivery_status[]) AND ($2::text IS NULL OR d.session_id = $2) AND s.webhook IS NOT NULL
        AND ${MAY_REOPEN}
      ORDER BY d.id LIMIT cardinality($3::text[]) FOR UPDATE OF d SKIP LOCKED),
    again AS (
      UPDATE deliveries d SET status = 'PENDING', attempts = 0, next_attempt_at = now(), delivered_at = NULL
      FROM held WHERE d.id = held.id RETURNING d.id, d.session_id, d.task_id, held.webhook),
    audit AS (
      ${INSERT_AUDIT}
      SELECT ($3::text[])[row_number() OVER (ORDER BY again.id)], now(), 'DELIVERY', again.session_id, t.turn_id, $4, $5,
        jsonb_build_object('deliveryId', again.id, 'taskId', again.task_id, 'url',
          ${shownUrl('again.webhook')}, 'status', 'PENDING', 'statusCode', NULL::int, 'attempts', 0)
      FROM again JOIN tasks t ON t.id = again.task_id)
    SELECT session_id AS "sessionId", array_agg(id) AS ids FROM again GROUP BY 1`,
}

/** As `reopenDelivery`, of the oldest that match, `max` at most; returns which, in which sessions. */
export async function reopenDeliveries(
  database: Database,
  { status, sessionId }: ReopenFilter,
  by: { readonly userName: string | null; readonly tokenName: string; readonly max: number },
): Promise<readonly { readonly sessionId: string; readonly ids: readonly string[] }[]> {
  const auditIds = Array.from({ length: by.max }, () => newId('audit'))
  return database.query(REOPEN_ALL, [status, sessionId, auditIds, by.userName, by.tokenName])
}
