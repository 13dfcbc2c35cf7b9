/**
 * The part of an access decision that rests on rows: is the caller a participant, and did they open the session? It is
 * made inside the statement that acts.
 */
import type { Queryable } from '../database.ts'
import { intakeStatement } from './intake-statement.ts'
import { sql, type Sql } from '../sql.ts'

/** What the caller may reach among the sessions whose ids are open to it (src/intake/authorize-session.ts). */
export interface SessionAccess {
  /** Every such session; otherwise only those in which `userName` participates. */
  readonly all: boolean
  readonly userName: string | null
  /** For the audit, and for sessions of which only the token that opened them is known. */
  readonly tokenName: string
  /** How the row of a session names the caller when they opened it (config/access/session-access.ts). */
  readonly opener: string
  /** What is to be done is the opener's: others who reach the session are refused. */
  readonly mustHaveOpened: boolean
}

/** The parameters that `mayReach` reads. */
export const ACCESS_INPUT = { access_all: 'boolean', access_user: 'text' } as const

/** The values of `ACCESS_INPUT`. */
export function accessInput(
  access: Pick<SessionAccess, 'all' | 'userName'>,
): Readonly<Record<keyof typeof ACCESS_INPUT, unknown>> {
  return { access_all: access.all, access_user: access.userName }
}

/** SQL that is true when the caller may reach the session whose id is `sessionId`; wants `input` in the FROM clause. */
export function mayReach(sessionId: Sql): Sql {
  return sql`(input.access_all OR EXISTS (
    SELECT 1 FROM participants reach WHERE reach.session_id = ${sessionId} AND reach.user_name = input.access_user))`
}

/** Asks for it alone, in the same time whether there is such a session or not. */
export async function reaches(database: Queryable, access: SessionAccess, sessionId: string): Promise<boolean> {
  const [row] = await REACHES<{ reaches: boolean }>(database, { session_id: sessionId, ...accessInput(access) })
  return row?.reaches === true
}

const REACHES = intakeStatement(
  'intake.reaches',
  { session_id: 'text', ...ACCESS_INPUT },
  sql`answer AS (SELECT ${mayReach(sql`input.session_id`)} AS reaches FROM input) SELECT reaches FROM answer`,
)

/** Whether a message came with this key before. False, too, for callers who may no longer reach the session. */
export async function isKnownKey(
  database: Queryable,
  access: SessionAccess,
  { sessionId, idempotencyKey }: { readonly sessionId: string; readonly idempotencyKey: string },
): Promise<boolean> {
  const input = { session_id: sessionId, client: access.tokenName, idempotency_key: idempotencyKey }
  const [row] = await IS_KNOWN_KEY<{ known: boolean }>(database, { ...input, ...accessInput(access) })
  return row?.known === true
}

const IS_KNOWN_KEY = intakeStatement(
  'intake.is-known-key',
  { session_id: 'text', client: 'text', idempotency_key: 'text', ...ACCESS_INPUT },
  sql`answer AS (SELECT EXISTS (
    SELECT 1 FROM messages m WHERE m.session_id = input.session_id AND m.client = input.client
      AND m.idempotency_key = input.idempotency_key AND ${mayReach(sql`input.session_id`)}) AS known FROM input)
  SELECT known FROM answer`,
)

/** For callers who reach every session. */
export async function isThere(database: Queryable, sessionId: string): Promise<boolean> {
  const [row] = await database.query({ name: 'intake.is-there', text: 'SELECT 1 FROM sessions WHERE id = $1' }, [
    sessionId,
  ])
  return row !== undefined
}

/** What type it is never changes. False, too, when it is not there. */
export async function isGroup(database: Queryable, sessionId: string): Promise<boolean> {
  const text = `SELECT 1 FROM sessions WHERE id = $1 AND source_type = 'GROUP'`
  const [row] = await database.query({ name: 'intake.is-group', text }, [sessionId])
  return row !== undefined
}

/** The parameters that `mayAct` reads. */
export const OPENER_INPUT = { opener: 'text', opener_token: 'text', must_have_opened: 'boolean' } as const

/** The values of `OPENER_INPUT`. */
export function openerInput(
  access: Pick<SessionAccess, 'opener' | 'tokenName' | 'mustHaveOpened'>,
): Readonly<Record<keyof typeof OPENER_INPUT, unknown>> {
  return { opener: access.opener, opener_token: access.tokenName, must_have_opened: access.mustHaveOpened }
}

/**
 * SQL that is true when the caller, who reaches the session `s`, may also do what is to be done; wants `input` in the
 * FROM clause. Of sessions that were opened before `opened_by` was there, the token is known.
 */
export function mayAct(s: Sql): Sql {
  return sql`(NOT input.must_have_opened OR coalesce(${s}.opened_by = input.opener, ${s}.connector = input.opener_token, false))`
}

/** SQL that is true when a turn of the session `s` runs or waits: it can then be neither deleted nor hidden. */
export function hasWork(s: Sql): Sql {
  return sql`(${s}.status IN ('RUNNING', 'AWAITING_APPROVAL') OR ${s}.queue_length > 0)`
}

/** As `opened_by`: the session was imported and has no opener. No user and no token can have such a name. */
export const OPENED_ELSEWHERE = ':import'
