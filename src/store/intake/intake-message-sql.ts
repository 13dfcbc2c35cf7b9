/**
 * The statements by which a message enters (intake-message.ts). Everything hangs on the session's row, which is written
 * first: its lock puts the messages of a session in order, and `seq` comes from it without gaps.
 */
import { REDACTED } from '../../core/text/redacted.ts'
import { BEGIN_INPUT, BEGUN, PLACE, RECEIVED, takesAnewSql, takesSql } from './begin-with-message.ts'
import { ACCESS_INPUT, mayAct, mayReach, OPENER_INPUT } from './intake-access.ts'
import { AUDIT_INPUT, sessionAudit } from './intake-audit.ts'
import { SOURCE_INPUT } from './intake-session.ts'
import { intakeStatement, type IntakeStatement } from './intake-statement.ts'
import { QUOTA, QUOTA_ALLOWS, QUOTA_INPUT } from './opened-sessions.ts'

/** Parameters of every statement here. */
export const MESSAGE_INPUT = {
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

/**
 * A secret may have been taken out of the stored content after it came: what stands around the mark must be the same
 * then. The patterns of LIKE take no time worth naming even when they are as long as a message may be.
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

/**
 * What every message changes on the session's row, here called `s`. Whatever comes into an inactive session wakes it.
 */
const COUNTED = `message_count = s.message_count + 1,
      last_message_preview = (SELECT preview FROM input),
      last_activity_at = greatest(s.last_activity_at, (SELECT at FROM input))`
const WOKEN = `CASE s.status WHEN 'INACTIVE' THEN 'IDLE' ELSE s.status END`

/**
 * Why nothing was stored is read from the statement's snapshot. NO_QUOTA: there was none to be opened. UNSEEN: the
 * session is newer than that, so look again. BARRED: at that moment the caller could not reach it. What is left is the
 * one condition on the row that the statement has (`other`).
 */
function resultOf({
  interrupted,
  begun,
  opens,
  other,
}: Readonly<Record<'interrupted' | 'begun' | 'other', string>> & { readonly opens: boolean }): string {
  return `SELECT session.seq, session.runs, prior.id AS prior_id, prior.same, ${interrupted} AS interrupted, ${begun} AS begun,
    CASE
      WHEN session.seq IS NOT NULL OR prior.id IS NOT NULL THEN NULL
      ${opens ? `WHEN NOT ${QUOTA_ALLOWS} THEN 'NO_QUOTA'` : ''}
      WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = input.session_id) THEN 'UNSEEN'
      WHEN NOT ${mayReach('input.session_id')} THEN 'BARRED'
      ELSE ${other}
    END AS outcome
  FROM input LEFT JOIN session ON true LEFT JOIN prior ON true`
}

/**
 * When the session `s` is ready for a message with a turn: at once, unless it waits for others. A later time is never
 * brought forward.
 */
const READY = `CASE WHEN (SELECT collect_window_ms FROM input) = 0 THEN coalesce(s.ready_at, now())
        ELSE greatest(s.ready_at, ${collectedAt('(SELECT collect_window_ms FROM input)')}) END`

/** Whether the message's turn is the next of the session `s`, and ready at once. */
const IS_NEXT = `s.owner IS NULL AND s.ready_at IS NULL AND (SELECT collect_window_ms FROM input) = 0`

function collectedAt(windowMs: string): string {
  return `now() + ${windowMs} * interval '1 millisecond'`
}

/**
 * Whether the message is one that cancels a running turn: where the policy says so, and it is directed at the agent.
 */
const CANCELS = `(s.busy_policy = 'INTERRUPT' AND (s.source_type <> 'GROUP' OR (SELECT mentioned FROM input)))`

/**
 * Cancels the running turn, where policy and sender are such; the function sees it as it is under the lock that
 * `session` holds.
 */
const INTERRUPTED = `interrupted AS MATERIALIZED (
    SELECT interrupt_turn(input.session_id, input.user_name, input.interrupts = 'ALL') AS turn_id FROM session, input
    WHERE session.runs AND session.cancels AND NOT session.taken AND input.interrupts <> 'NONE')`

/**
 * Whether the turn has begun in the session `s`, as the statement leaves it: then its message does not wait, but runs.
 */
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
  opened_by: 'text',
  description: 'text',
  time_zone: 'text',
  ...QUOTA_INPUT,
  ...AUDIT_INPUT,
} as const

/** The session as the message opens it; with one that is there, what follows is done to that instead. */
function openSql({ takesAnew, node }: Record<'takesAnew' | 'node', string>): string {
  return `INSERT INTO sessions AS s (id, source_kind, source_interactive, source_platform, source_trigger_id, source_type, connector,
      opened_by, message_count, queue_length, last_message_preview, last_seq, created_at, last_activity_at, ready_at, status, owner,
      epoch, turn_user, description, description_source, time_zone)
    SELECT input.session_id, input.source_kind, input.source_interactive, input.source_platform, input.source_trigger_id,
      input.source_type, input.client, input.opened_by, 1, (${RUNS_ANEW} AND NOT ${takesAnew})::int, input.preview,
      1 + ${takesAnew}::int, input.at, input.at, CASE WHEN ${RUNS_ANEW} THEN ${collectedAt('input.collect_window_ms')} END,
      CASE WHEN ${takesAnew} THEN 'RUNNING' ELSE 'IDLE' END::session_status, CASE WHEN ${takesAnew} THEN ${node} END, ${takesAnew}::int,
      CASE WHEN ${RUNS_ANEW} AND input.collect_window_ms = 0 THEN input.user_name END, input.description,
      CASE WHEN input.description IS NOT NULL THEN 'CLIENT'::description_source END, input.time_zone
    FROM input WHERE NOT EXISTS (SELECT 1 FROM prior) AND ${QUOTA_ALLOWS}
    ON CONFLICT (id) DO UPDATE`
}

/**
 * `opens`: a session is opened when there is none. Otherwise it is only looked for, and one that the caller cannot
 * reach is not even locked: who waits for the lock of a session could tell that there is one.
 *
 * The limit is checked on the row as it is once the lock is held, so it is exact however many come at once. So is what
 * kind of conversation the session is, on which it depends whether there is a turn, and whether that begins.
 *
 * `takes`, `takesAnew`: whether the turn begins with the statement, in the session `s` and in one that it opens;
 * `node`: who runs it then.
 */
function acceptSql({
  opens,
  takes,
  takesAnew,
  node,
  place = '',
  received = '',
  begun,
}: Record<'takes' | 'takesAnew' | 'node' | 'begun', string> & {
  readonly opens: boolean
  readonly place?: string
  readonly received?: string
}): string {
  return `${PRIOR},
  ${opens ? QUOTA : ''}${place}session AS (
    ${opens ? openSql({ takesAnew, node }) : 'UPDATE sessions AS s'} SET ${COUNTED}, last_seq = s.last_seq + 1 + ${takes}::int,
      queue_length = s.queue_length + (${RUNS} AND NOT ${takes})::int, epoch = s.epoch + ${takes}::int,
      owner = CASE WHEN ${takes} THEN ${node} ELSE s.owner END,
      status = CASE WHEN ${takes} THEN 'RUNNING' ELSE ${WOKEN} END,
      ready_at = CASE WHEN ${RUNS} THEN ${READY} ELSE s.ready_at END,
      turn_user = CASE WHEN ${RUNS} AND ${IS_NEXT} THEN (SELECT user_name FROM input) ELSE s.turn_user END,
      time_zone = coalesce((SELECT time_zone FROM input), s.time_zone)
    WHERE ${opens ? '' : `s.id = (SELECT session_id FROM input) AND NOT EXISTS (SELECT 1 FROM prior) AND `}(NOT ${RUNS} OR s.queue_length < (SELECT max_queued FROM input))
      AND (SELECT ${mayReach('s.id')} FROM input)
    RETURNING s.last_seq - (${TAKEN})::int AS seq, ${RUNS} AS runs, ${CANCELS} AS cancels, ${TAKEN} AS taken, s.epoch,
      s.source_type, s.busy_policy, s.time_zone),
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
  ${resultOf({ interrupted: '(SELECT turn_id FROM interrupted)', begun, opens, other: `'FULL'` })}`
}

/** Stores a message whose turn waits. */
const accept = (name: string, opens: boolean): IntakeStatement<typeof ACCEPT_INPUT> =>
  intakeStatement(
    name,
    ACCEPT_INPUT,
    acceptSql({ opens, takes: 'false', takesAnew: 'false', node: 'NULL::int', begun: 'NULL::jsonb' }),
  )
/** Opens the session where there is none, within the opener's quota. */
export const ACCEPT = accept('intake.accept', true)
/** For a caller who may not open the session: there must be one. */
export const ACCEPT_THERE = accept('intake.accept-there', false)

const ACCEPT_AND_BEGIN_INPUT = { ...ACCEPT_INPUT, ...BEGIN_INPUT } as const

/** Stores a message, and begins its turn where nothing stands against it. */
const acceptAndBegin = (name: string, opens: boolean): IntakeStatement<typeof ACCEPT_AND_BEGIN_INPUT> =>
  intakeStatement(
    name,
    ACCEPT_AND_BEGIN_INPUT,
    acceptSql({
      opens,
      takes: takesSql(RUNS),
      takesAnew: takesAnewSql(RUNS_ANEW),
      place: PLACE,
      node: '(SELECT node FROM input)',
      received: RECEIVED,
      begun: BEGUN,
    }),
  )
/** As `ACCEPT`, and claims an idle session for the node `input.node`. */
export const ACCEPT_AND_BEGIN = acceptAndBegin('intake.accept-and-begin', true)
/** As `ACCEPT_THERE`, and claims an idle session for the node `input.node`. */
export const ACCEPT_AND_BEGIN_THERE = acceptAndBegin('intake.accept-and-begin-there', false)

/** A session that the caller did not open is not that caller's; who opened one never changes. */
const NOT_OPENER = `CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.id = input.session_id AND NOT ${mayAct('s')})
        THEN 'NOT_OPENER' ELSE 'UNSEEN' END`

/** Stores a message without a turn in a session that is there. */
export const STORE = intakeStatement(
  'intake.store',
  { ...MESSAGE_INPUT, ...OPENER_INPUT },
  `${PRIOR},
  session AS (
    UPDATE sessions s SET ${COUNTED}, last_seq = s.last_seq + 1, status = ${WOKEN} FROM input
    WHERE s.id = input.session_id AND NOT EXISTS (SELECT 1 FROM prior) AND ${mayReach('s.id')} AND ${mayAct('s')}
    RETURNING s.last_seq AS seq, false AS runs),
  ${rows({ status: `'STORED'`, turnId: 'NULL' })}
  ${resultOf({ interrupted: 'NULL', begun: 'NULL::jsonb', opens: false, other: NOT_OPENER })}`,
)
