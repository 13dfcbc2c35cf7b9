/**
 * A message enters: its row, its turn, its event and the session's counters in one statement, so that an accepted message is
 * committed whole before anybody is answered. Everything hangs on the session's row, which is written first: its lock puts
 * the messages of a session in order, and `seq` comes from it without gaps.
 */
import { REDACTED } from '../core/redacted.ts'
import type { ConversationType, MessageRole } from '../core/status.ts'
import { BugError } from '../platform/must.ts'
import {
  BEGIN_INPUT,
  beginInput,
  BEGUN,
  PLACE,
  RECEIVED,
  takenSession,
  takesAnewSql,
  takesSql,
  type BegunWithMessage,
  type TurnStart,
} from './begin-with-message.ts'
import type { TakenSession } from './begin-turn.ts'
import type { Database } from './database.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit } from './intake-audit.ts'
import { SOURCE_INPUT, sourceInput, type SessionSource } from './intake-session.ts'
import { intakeStatement } from './intake-statement.ts'

export interface IncomingMessage {
  readonly id: string
  readonly sessionId: string
  readonly role: MessageRole
  /** The user, or the platform identity of an untrusted sender; null when the client itself speaks. */
  readonly userName: string | null
  readonly trusted: boolean
  /** The client says that it is directed at the agent. */
  readonly mentioned: boolean
  readonly content: string
  readonly preview: string
  /** The name of the token that brought it; idempotency keys are its own. */
  readonly client: string
  readonly idempotencyKey: string | null
  /** When the message was written; `at` is when it came. */
  readonly createdAt: Date
  readonly at: Date
  /** The sender becomes a participant. */
  readonly joins: boolean
}

export interface NewTurn {
  readonly id: string
  readonly maxQueued: number
  /** Whether the message gets the turn, by what the session turns out to be; otherwise it is stored (core/route-message.ts). */
  readonly startsIn: Readonly<Record<ConversationType, boolean>>
  /** For how long it waits for others of its kind; 0: not at all. */
  readonly collectWindowMs: number
  /** Whose running turn it may cancel where the session's policy is INTERRUPT. */
  readonly interrupts: 'NOBODY' | 'OWN' | 'ANYBODY'
  /** Who runs it at once if the session is idle; null or left out: it waits until it is taken. */
  readonly start?: TurnStart | null
}

export type AcceptResult =
  /**
   * `turnId`: null when the message has no turn. `interrupted`: the running turn that is to end for it. `taken`: the session, if
   * its turn has been started (`start`).
   */
  | {
      readonly kind: 'Accepted'
      readonly seq: number
      readonly turnId: string | null
      readonly interrupted: string | null
      readonly taken: TakenSession | null
    }
  /** The idempotency key is known. `same`: it came with the same content from the same sender. */
  | { readonly kind: 'Duplicate'; readonly messageId: string; readonly same: boolean }
  | { readonly kind: 'QueueFull' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

interface AcceptOptions {
  readonly message: IncomingMessage
  readonly turn: NewTurn
  readonly source: SessionSource
  readonly mayOpen?: boolean
}

/** Each further attempt means that somebody else's commit came between; more than a few in a row cannot be. */
const MAX_ATTEMPTS = 5

/**
 * Stores `message`, with `turn` to run where it starts one, and opens the session from `source` when there is none; with `mayOpen`
 * false there must be one.
 */
export async function acceptMessage(
  database: Database,
  access: SessionAccess,
  { message, turn, source, mayOpen = true }: AcceptOptions,
): Promise<AcceptResult> {
  const input = {
    ...messageInput(access, message),
    ...sourceInput(source),
    turn_id: turn.id,
    runs_direct: turn.startsIn.DIRECT,
    runs_in_group: turn.startsIn.GROUP,
    max_queued: turn.maxQueued,
    collect_window_ms: turn.collectWindowMs,
    interrupts: turn.interrupts,
    may_open: mayOpen,
    ...auditInput(openerOf(access, message)),
  }
  const { start = null } = turn
  // The plain statement is the smaller one: where the turn cannot begin anyway, the database has less to do.
  const run = (): Promise<Row[]> =>
    start === null || turn.collectWindowMs > 0
      ? ACCEPT<Row>(database, input)
      : ACCEPT_AND_BEGIN<Row>(database, { ...input, ...beginInput(start) })
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await runOnce(run)
    if (row === 'raced' || (row.outcome === 'UNSEEN' && mayOpen)) continue
    if (row.outcome === 'BARRED' || row.outcome === 'UNSEEN') return { kind: 'NoSession' }
    if (row.outcome === 'FULL') return { kind: 'QueueFull' }
    return stored(row, { message, turnId: turn.id, node: start?.node ?? null })
  }
  throw new BugError(`message ${message.id} lost every race for session ${message.sessionId}`)
}

/** Whom the audit names when the message opens a session: its sender, if that is known. */
function openerOf(access: SessionAccess, { trusted, userName }: IncomingMessage): SessionAccess {
  return trusted ? { ...access, userName } : access
}

/** Stores `message` without a turn in a session that exists. */
export async function storeMessage(
  database: Database,
  access: SessionAccess,
  message: IncomingMessage,
): Promise<AcceptResult> {
  const input = messageInput(access, message)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const row = await runOnce(() => STORE<Row>(database, input))
    if (row === 'raced') continue
    return row.outcome === null ? stored(row, { message, turnId: null, node: null }) : { kind: 'NoSession' }
  }
  throw new BugError(`message ${message.id} lost every race for session ${message.sessionId}`)
}

interface Row {
  /** Null: see `seq` or `prior_id`. Otherwise why nothing was stored. */
  outcome: 'UNSEEN' | 'BARRED' | 'FULL' | null
  seq: number | null
  runs: boolean | null
  interrupted: string | null
  begun: BegunWithMessage | null
  prior_id: string | null
  same: boolean | null
}

/** Two calls with one idempotency key that do not see each other: the second to commit fails and finds the first next time. */
async function runOnce(run: () => Promise<Row[]>): Promise<Row | 'raced'> {
  try {
    const [row] = await run()
    if (row === undefined) throw new BugError('the statement answers in one row')
    return row
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown }
    if (code === '23505' && constraint === 'messages_session_id_client_idempotency_key_key') return 'raced'
    throw error
  }
}

/** `turnId`: what its turn is called, should the message have one; `node`: who runs it, should it have begun. */
function stored(
  row: Row,
  given: { readonly message: IncomingMessage; readonly turnId: string | null; readonly node: number | null },
): AcceptResult {
  const { seq, interrupted, begun } = row
  if (seq === null) {
    if (row.prior_id !== null) return { kind: 'Duplicate', messageId: row.prior_id, same: row.same === true }
    throw new BugError('a message is stored, a duplicate or refused')
  }
  const { message, node } = given
  const turnId = row.runs === true ? given.turnId : null
  const hasBegun = begun !== null && turnId !== null && node !== null
  const taken = hasBegun ? takenSession(begun, { message, turnId, node }) : null
  return { kind: 'Accepted', seq, turnId, interrupted, taken }
}

const MESSAGE_INPUT = {
  message_id: 'text',
  session_id: 'text',
  role: 'message_role',
  user_name: 'text',
  trusted: 'boolean',
  mentioned: 'boolean',
  content: 'text',
  preview: 'text',
  client: 'text',
  idempotency_key: 'text',
  created_at: 'timestamptz',
  at: 'timestamptz',
  joins: 'boolean',
  ...ACCESS_INPUT,
} as const

function messageInput(access: SessionAccess, message: IncomingMessage): Record<keyof typeof MESSAGE_INPUT, unknown> {
  return {
    message_id: message.id,
    session_id: message.sessionId,
    role: message.role,
    user_name: message.userName,
    trusted: message.trusted,
    mentioned: message.mentioned,
    content: message.content,
    preview: message.preview,
    client: message.client,
    idempotency_key: message.idempotencyKey,
    created_at: message.createdAt,
    at: message.at,
    joins: message.joins,
    ...accessInput(access),
  }
}

/**
 * A secret may have been taken out of the stored content after it came: what stands around the mark must be the same then. The
 * patterns of LIKE take no time worth naming even when they are as long as a message may be.
 */
function isSameContent(stored: string, sent: string): string {
  const escaped = `regexp_replace(${stored}, '([\\\\%_])', '\\\\\\1', 'g')`
  return `(${stored} = ${sent} OR (strpos(${stored}, '${REDACTED}') > 0
      AND ${sent} LIKE replace(${escaped}, '${REDACTED}', '%')))`
}

/** A caller who may no longer reach the session learns nothing of what was sent there. */
const PRIOR = `prior AS MATERIALIZED (
    SELECT m.id, ${isSameContent('m.content', 'input.content')} AND m.role = input.role AND m.user_name IS NOT DISTINCT FROM input.user_name
      AND m.mentioned = input.mentioned AS same
    FROM input JOIN messages m
      ON m.session_id = input.session_id AND m.client = input.client AND m.idempotency_key = input.idempotency_key
    WHERE ${mayReach('input.session_id')})`

/** Whether the message starts a turn in a session that it opens … */
const RUNS_ANEW = `(CASE input.source_type WHEN 'GROUP' THEN input.runs_in_group ELSE input.runs_direct END)`
/** … and in the session `s`, where `input` is not in FROM. */
const RUNS = `(SELECT CASE s.source_type WHEN 'GROUP' THEN input.runs_in_group ELSE input.runs_direct END FROM input)`

/** `status`, `turnId`: SQL for the message's status and its turn. */
const rows = ({ status, turnId }: { readonly status: string; readonly turnId: string }): string => `message AS (
    INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, mentioned, status, client, idempotency_key,
      created_at)
    SELECT input.message_id, input.session_id, session.seq, input.role, input.user_name, input.content, input.trusted,
      input.mentioned, ${status}, input.client, input.idempotency_key, input.created_at FROM session, input),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.seq, input.at, ${turnId}, 'MessageReceived',
      jsonb_build_object('messageId', input.message_id) FROM session, input),
  participant AS (
    INSERT INTO participants (session_id, user_name, joined_at)
    SELECT input.session_id, input.user_name, input.at FROM session, input WHERE input.joins
    ON CONFLICT DO NOTHING)`

/** What every message changes on the session's row, here called `s`. Whatever comes into an inactive session wakes it. */
const COUNTED = `message_count = s.message_count + 1,
      last_message_preview = (SELECT preview FROM input),
      last_activity_at = greatest(s.last_activity_at, (SELECT at FROM input))`
const WOKEN = `CASE s.status WHEN 'INACTIVE' THEN 'IDLE' ELSE s.status END`

/**
 * Why nothing was stored is read from the statement's snapshot. UNSEEN: the session is newer than that, so look again.
 * BARRED: at that moment the caller could not reach it. What is left is the one condition on the row as it is now: FULL.
 */
function resultOf({ interrupted, begun }: { readonly interrupted: string; readonly begun: string }): string {
  return `SELECT session.seq, session.runs, prior.id AS prior_id, prior.same, ${interrupted} AS interrupted, ${begun} AS begun,
    CASE
      WHEN session.seq IS NOT NULL OR prior.id IS NOT NULL THEN NULL
      WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = input.session_id) THEN 'UNSEEN'
      WHEN NOT ${mayReach('input.session_id')} THEN 'BARRED'
      ELSE 'FULL'
    END AS outcome
  FROM input LEFT JOIN session ON true LEFT JOIN prior ON true`
}

/** When the session `s` is ready for a message with a turn: at once, unless it waits for others. A later time is never brought forward. */
const READY = `CASE WHEN (SELECT collect_window_ms FROM input) = 0 THEN coalesce(s.ready_at, now())
        ELSE greatest(s.ready_at, ${collectedAt('(SELECT collect_window_ms FROM input)')}) END`

/** Whether the message's turn is the next of the session `s`, and ready at once. */
const IS_NEXT = `s.owner IS NULL AND s.ready_at IS NULL AND (SELECT collect_window_ms FROM input) = 0`

function collectedAt(windowMs: string): string {
  return `now() + ${windowMs} * interval '1 millisecond'`
}

/** Whether the message is one that cancels a running turn: where the policy says so, and it is directed at the agent. */
const CANCELS = `(s.busy_policy = 'INTERRUPT' AND (s.source_type <> 'GROUP' OR (SELECT mentioned FROM input)))`

/** Cancels the running turn, where policy and sender are such; the function sees it as it is under the lock that `session` holds. */
const INTERRUPTED = `interrupted AS MATERIALIZED (
    SELECT interrupt_turn(input.session_id, input.user_name, input.interrupts = 'ANYBODY') AS turn_id FROM session, input
    WHERE session.runs AND session.cancels AND NOT session.taken AND input.interrupts <> 'NOBODY')`

/** Whether the turn has begun in the session `s`, as the statement leaves it: then its message does not wait, but runs. */
const TAKEN = `${RUNS} AND s.queue_length = 0`

const ACCEPT_INPUT = {
  ...MESSAGE_INPUT,
  ...SOURCE_INPUT,
  turn_id: 'text',
  runs_direct: 'boolean',
  runs_in_group: 'boolean',
  max_queued: 'int',
  collect_window_ms: 'int',
  interrupts: 'text',
  may_open: 'boolean',
  ...AUDIT_INPUT,
} as const

/**
 * The limit is checked on the row as it is once the lock is held, so it is exact however many come at once. So is what kind of
 * conversation the session is, on which it depends whether there is a turn, and whether that begins.
 *
 * `takes`, `takesAnew`: whether the turn begins with the statement, in the session `s` and in one that it opens; `node`: who runs it
 * then.
 */
function acceptSql({
  takes,
  takesAnew,
  node,
  place = '',
  received = '',
  begun,
}: Record<'takes' | 'takesAnew' | 'node' | 'begun', string> & Partial<Record<'place' | 'received', string>>): string {
  return `${PRIOR},
  ${place}session AS (
    INSERT INTO sessions AS s (id, source_kind, source_interactive, source_platform, source_trigger_id, source_type, connector,
      message_count, queue_length, last_message_preview, last_seq, created_at, last_activity_at, ready_at, status, owner, epoch, turn_user)
    SELECT input.session_id, input.source_kind, input.source_interactive, input.source_platform, input.source_trigger_id,
      input.source_type, input.client, 1, (${RUNS_ANEW} AND NOT ${takesAnew})::int, input.preview, 1 + ${takesAnew}::int, input.at,
      input.at, CASE WHEN ${RUNS_ANEW} THEN ${collectedAt('input.collect_window_ms')} END,
      CASE WHEN ${takesAnew} THEN 'RUNNING' ELSE 'IDLE' END::session_status, CASE WHEN ${takesAnew} THEN ${node} END, ${takesAnew}::int,
      CASE WHEN ${RUNS_ANEW} AND input.collect_window_ms = 0 THEN input.user_name END
    FROM input WHERE NOT EXISTS (SELECT 1 FROM prior)
      AND (input.may_open OR EXISTS (SELECT 1 FROM sessions WHERE id = input.session_id))
    ON CONFLICT (id) DO UPDATE SET ${COUNTED}, last_seq = s.last_seq + 1 + ${takes}::int,
      queue_length = s.queue_length + (${RUNS} AND NOT ${takes})::int, epoch = s.epoch + ${takes}::int,
      owner = CASE WHEN ${takes} THEN ${node} ELSE s.owner END,
      status = CASE WHEN ${takes} THEN 'RUNNING' ELSE ${WOKEN} END,
      ready_at = CASE WHEN ${RUNS} THEN ${READY} ELSE s.ready_at END,
      turn_user = CASE WHEN ${RUNS} AND ${IS_NEXT} THEN (SELECT user_name FROM input) ELSE s.turn_user END
    WHERE (NOT ${RUNS} OR s.queue_length < (SELECT max_queued FROM input)) AND (SELECT ${mayReach('s.id')} FROM input)
    RETURNING s.last_seq - (${TAKEN})::int AS seq, ${RUNS} AS runs, ${CANCELS} AS cancels, ${TAKEN} AS taken, s.epoch,
      s.source_type, s.busy_policy),
  ${INTERRUPTED},
  ${sessionAudit(
    { sql: `CASE WHEN session.seq = 1 THEN 'OPENED' ELSE 'TURN_CANCELLED' END` },
    {
      from: 'session CROSS JOIN input LEFT JOIN interrupted ON true WHERE session.seq = 1 OR interrupted.turn_id IS NOT NULL',
      at: 'input.at',
      turnId: 'interrupted.turn_id',
    },
  )},
  turn AS (
    INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at, status, step, started_at)
    SELECT input.turn_id, input.session_id, session.seq, input.message_id, input.user_name, input.at,
      CASE WHEN session.taken THEN 'RUNNING' ELSE 'QUEUED' END::turn_status,
      CASE WHEN session.taken THEN 'RECEIVED' END::pipeline_step, CASE WHEN session.taken THEN input.at END
    FROM session, input WHERE session.runs),
  ${received}${rows({
    status: `CASE WHEN session.taken THEN 'PROCESSING' WHEN session.runs THEN 'QUEUED' ELSE 'STORED' END::message_status`,
    turnId: 'CASE WHEN session.runs THEN input.turn_id END',
  })}
  ${resultOf({ interrupted: '(SELECT turn_id FROM interrupted)', begun })}`
}

const ACCEPT = intakeStatement(
  'intake.accept',
  ACCEPT_INPUT,
  acceptSql({ takes: 'false', takesAnew: 'false', node: 'NULL::int', begun: 'NULL::jsonb' }),
)

const ACCEPT_AND_BEGIN = intakeStatement(
  'intake.accept-and-begin',
  { ...ACCEPT_INPUT, ...BEGIN_INPUT },
  acceptSql({
    takes: takesSql(RUNS),
    takesAnew: takesAnewSql(RUNS_ANEW),
    place: PLACE,
    node: '(SELECT node FROM input)',
    received: RECEIVED,
    begun: BEGUN,
  }),
)

const STORE = intakeStatement(
  'intake.store',
  MESSAGE_INPUT,
  `${PRIOR},
  session AS (
    UPDATE sessions s SET ${COUNTED}, last_seq = s.last_seq + 1, status = ${WOKEN} FROM input
    WHERE s.id = input.session_id AND NOT EXISTS (SELECT 1 FROM prior) AND ${mayReach('s.id')}
    RETURNING s.last_seq AS seq, false AS runs),
  ${rows({ status: `'STORED'`, turnId: 'NULL' })}
  ${resultOf({ interrupted: 'NULL', begun: 'NULL::jsonb' })}`,
)
