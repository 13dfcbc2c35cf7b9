/**
 * The statements by which a message enters (accept-message.ts), each from top to bottom; as PostgreSQL gets them they
 * stand in rendered/. Everything hangs on the session's row, which is written first: its lock puts the messages of a
 * session in order, and `seq` comes from it without gaps.
 */
import { ERASED } from '../../core/text/erased.ts'
import { REDACTED } from '../../core/text/redacted.ts'
import { INSERT_AUDIT } from '../audit-entries.ts'
import { isListed } from '../nodes.ts'
import { literal, sql, when, type Sql } from '../sql.ts'
import { HELD_INPUT, saidBeforeSql } from '../turn/turn-history.ts'
import { hasPlace, waitsLonger } from '../turn/user-share.ts'
import { ACCESS_INPUT, mayAct, mayReach, OPENER_INPUT } from './intake-access.ts'
import { AUDIT_INPUT } from './intake-audit.ts'
import { SOURCE_INPUT } from './intake-session.ts'
import { intakeStatement } from './intake-statement.ts'
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
  attachments: 'text[]',
  call: 'jsonb',
  trace_parent: 'text',
  trace_state: 'text',
  ...ACCESS_INPUT,
} as const

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
  retry_of: 'text',
  mode: 'session_mode',
  opening_mode: 'session_mode',
  ...QUOTA_INPUT,
  ...AUDIT_INPUT,
} as const

/** Which node may begin the turn in the statement that stores its message, and the limits that hold for it. */
export const BEGIN_INPUT = {
  node: 'int',
  summarize_threshold: 'int',
  share: 'int',
  ...HELD_INPUT,
} as const

/**
 * What stands around the marks is the same. The patterns of LIKE take no time worth naming even when they are as long
 * as a message may be.
 */
const fitsAround = (marked: Sql, text: Sql): Sql => sql`(strpos(${marked}, ${literal(REDACTED)}) > 0
      AND ${text} LIKE replace(regexp_replace(${marked}, '([\\\\%_])', '\\\\\\1', 'g'), ${literal(REDACTED)}, '%'))`

/** A secret in it may have been taken out after it came, or be known only since: then it is not taken out yet. */
const IS_SAME_CONTENT = sql`(m.content = input.content OR ${fitsAround(sql`m.content`, sql`input.content`)}
      OR ${fitsAround(sql`input.content`, sql`m.content`)})`

/** What it said is known no more: its key alone says that it came before, or it would be brought anew under another. */
const IS_ERASED = sql`(m.content = ${literal(ERASED)} AND m.user_name = ${literal(ERASED)})`

const PRIOR = sql`-- What came with this key before. Who may no longer reach the session learns nothing of what was sent there.
  prior AS MATERIALIZED (
    SELECT m.id, ${IS_ERASED} OR (${IS_SAME_CONTENT} AND m.role = input.role AND m.user_name IS NOT DISTINCT FROM input.user_name
      AND m.mentioned = input.mentioned AND m.attachments = input.attachments) AS same
    FROM input JOIN messages m
      ON m.session_id = input.session_id AND m.client = input.client AND m.idempotency_key = input.idempotency_key
    WHERE ${mayReach(sql`input.session_id`)}),`

/** Whether the message has a turn in a session of this type. */
const runsIn = (type: Sql): Sql => sql`CASE ${type} WHEN 'GROUP' THEN input.runs_in_group ELSE input.runs_direct END`

/** The row, the event and the sender of the message that the CTE "accepted" has let in. */
const storedSql = ({ status, turnId }: Readonly<Record<'status' | 'turnId', Sql>>): Sql => sql`message AS (
    INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, mentioned, status, client, idempotency_key,
      created_at, attachments, call, trace_parent, trace_state)
    SELECT input.message_id, input.session_id, accepted.seq, input.role, input.user_name, input.content, input.trusted,
      input.mentioned, ${status}, input.client, input.idempotency_key, input.created_at,
      input.attachments, input.call, input.trace_parent, input.trace_state FROM accepted, input),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, accepted.seq, input.at, ${turnId}, 'MessageReceived',
      jsonb_build_object('messageId', input.message_id) FROM accepted, input),
  participant AS (
    INSERT INTO participants (session_id, user_name, joined_at)
    SELECT input.session_id, input.user_name, input.at FROM accepted, input WHERE input.joins
    ON CONFLICT DO NOTHING)`

/** Until when the message waits for others of its kind. */
const COLLECTED_AT = sql`now() + input.collect_window_ms * interval '1 millisecond'`

/** What of the statement is there, or different, in some variants alone. */
interface Holes {
  /**
   * Whether the node may begin the turn, and its user has a place for it: asked only when nothing else is in its way.
   */
  readonly place: Sql
  /** In a session that the message opens, whose turn is `turn`. */
  readonly beginsAnew: Sql
  /** In the session `s` as it is. */
  readonly begins: Sql
  /** Who runs the turn. */
  readonly node: Sql
  readonly received: Sql
  readonly begun: Sql
}

const WAITING: Holes = {
  place: sql``,
  beginsAnew: sql`false`,
  begins: sql`false`,
  node: sql`NULL::int`,
  received: sql``,
  begun: sql`NULL::jsonb`,
}

/**
 * A turn that begins must see all that was said in the session: the statement reads from its snapshot, and may have
 * waited for another transaction's commit. So the row, once it is locked, must be the one of the snapshot: `xmin` names
 * the transaction that wrote it (https://www.postgresql.org/docs/current/ddl-system-columns.html).
 */
const BEGINNING: Holes = {
  place: sql`place AS MATERIALIZED (
    SELECT ${isListed(sql`input.node`)} AND NOT ${waitsLonger(sql`input.user_name`, sql`now()`)}
      AND ${hasPlace(sql`input.user_name`, sql`input.share`)} AS free FROM input),
  `,
  beginsAnew: sql`turn.runs AND NOT EXISTS (SELECT 1 FROM sessions seen WHERE seen.id = input.session_id)
      AND (SELECT free FROM place)`,
  begins: sql`(${runsIn(sql`s.source_type`)} AND s.owner IS NULL AND s.ready_at IS NULL AND s.queue_length = 0
          AND s.status IN ('IDLE', 'INACTIVE')
          AND s.xmin = (SELECT seen.xmin FROM sessions seen WHERE seen.id = input.session_id)
          AND (SELECT free FROM place)) IS TRUE`,
  node: sql`input.node`,
  received: sql`received AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, accepted.seq + 1, input.at, input.turn_id, 'PipelineStep', '{"step": "RECEIVED", "detail": null}'
    FROM accepted, input WHERE accepted.taken),
  `,
  begun: sql`CASE WHEN accepted.taken THEN jsonb_build_object('seq', accepted.seq, 'epoch', accepted.epoch,
      'conversationType', accepted.source_type, 'busyPolicy', accepted.busy_policy, 'timeZone', accepted.time_zone,
      'mode', coalesce(input.mode, accepted.mode),
      'participates', input.joins OR EXISTS (
        SELECT 1 FROM participants p WHERE p.session_id = input.session_id AND p.user_name = input.user_name),
      'saidBefore', ${saidBeforeSql({
        sessionId: sql`input.session_id`,
        turnId: sql`input.turn_id`,
        seq: sql`accepted.seq`,
        summarizeThreshold: sql`input.summarize_threshold`,
      })}) END`,
}

/** Opens the session; with one that is there, what follows is done to that instead. */
const opened = (holes: Holes): Sql => sql`anew AS MATERIALIZED (
    SELECT turn.runs, ${holes.beginsAnew} AS begins
    FROM input, LATERAL (SELECT ${runsIn(sql`input.source_type`)} AS runs) turn
    WHERE NOT EXISTS (SELECT 1 FROM prior) AND ${QUOTA_ALLOWS}),
  session AS (
    INSERT INTO sessions AS s (id, source_kind, source_interactive, source_platform, source_trigger_id, source_type, connector,
      opened_by, message_count, queue_length, last_message_preview, last_seq, created_at, last_activity_at, ready_at, status, owner,
      epoch, turn_user, description, description_source, time_zone, mode)
    SELECT input.session_id, input.source_kind, input.source_interactive, input.source_platform, input.source_trigger_id,
      input.source_type, input.client, input.opened_by, 1, (anew.runs AND NOT anew.begins)::int, input.preview,
      1 + anew.begins::int, input.at, input.at, CASE WHEN anew.runs THEN ${COLLECTED_AT} END,
      CASE WHEN anew.begins THEN 'RUNNING' ELSE 'IDLE' END::session_status, CASE WHEN anew.begins THEN ${holes.node} END,
      anew.begins::int, CASE WHEN anew.runs AND input.collect_window_ms = 0 THEN input.user_name END,
      input.description, CASE WHEN input.description IS NOT NULL THEN 'CLIENT'::description_source END, input.time_zone,
      input.opening_mode
    FROM anew, input
    ON CONFLICT (id) DO UPDATE`

/**
 * The limit is checked on the row as it is once the lock is held, so it is exact however many come at once. So is what
 * kind of conversation the session is, on which it depends whether there is a turn, and whether that begins.
 *
 * `opens`: a session is opened when there is none. Otherwise it is only searched for, and one that the caller cannot
 * reach is not even locked: who waits for the lock of a session could tell that there is one.
 */
const acceptSql = ({ opens, holes }: { readonly opens: boolean; readonly holes: Holes }): Sql => sql`${PRIOR}
  ${when(opens, QUOTA)}${holes.place}${opens ? opened(holes) : sql`session AS (\n    UPDATE sessions AS s`}
    SET (message_count, last_message_preview, last_activity_at, last_seq, queue_length, epoch, owner, status, ready_at,
      turn_user, time_zone) = (
      SELECT s.message_count + 1 AS message_count,
        input.preview AS last_message_preview,
        greatest(s.last_activity_at, input.at) AS last_activity_at,
        s.last_seq + 1 + turn.begins::int AS last_seq,
        s.queue_length + (turn.runs AND NOT turn.begins)::int AS queue_length,
        s.epoch + turn.begins::int AS epoch,
        CASE WHEN turn.begins THEN ${holes.node} ELSE s.owner END AS owner,
        -- Whatever comes into an inactive session wakes it.
        CASE WHEN turn.begins THEN 'RUNNING' WHEN s.status = 'INACTIVE' THEN 'IDLE' ELSE s.status END AS status,
        -- At once, unless it waits for others of its kind. A later time is never brought forward.
        CASE WHEN NOT turn.runs THEN s.ready_at
          WHEN input.collect_window_ms = 0 THEN coalesce(s.ready_at, now())
          ELSE greatest(s.ready_at, ${COLLECTED_AT}) END AS ready_at,
        -- Known when this turn is the next, and ready at once.
        CASE WHEN turn.runs AND s.owner IS NULL AND s.ready_at IS NULL AND input.collect_window_ms = 0
          THEN input.user_name ELSE s.turn_user END AS turn_user,
        coalesce(input.time_zone, s.time_zone) AS time_zone
      -- OFFSET 0: found out once, and not anew for each column that reads it.
      FROM input, LATERAL (SELECT ${runsIn(sql`s.source_type`)} AS runs, ${holes.begins} AS begins OFFSET 0) turn)
    WHERE ${when(!opens, sql`s.id = (SELECT session_id FROM input) AND NOT EXISTS (SELECT 1 FROM prior) AND `)}(
      SELECT (NOT ${runsIn(sql`s.source_type`)} OR s.queue_length < input.max_queued) AND ${mayReach(sql`s.id`)} FROM input)
    RETURNING s.last_seq, s.queue_length, s.epoch, s.source_type, s.busy_policy, s.time_zone, s.mode),
  -- Taken: the turn has begun. Then the message does not wait, and the event RECEIVED comes right after its own.
  accepted AS (
    SELECT session.last_seq - begun.taken::int AS seq, turn.runs, begun.taken, session.epoch, session.source_type,
      session.busy_policy, session.time_zone, session.mode
    FROM session, input, LATERAL (SELECT ${runsIn(sql`session.source_type`)} AS runs) turn,
      LATERAL (SELECT turn.runs AND session.queue_length = 0 AS taken) begun),
  -- A message that is directed at the agent cancels the running turn, where policy and sender are such; the function
  -- sees the turn as it is under the lock that "session" holds.
  interrupted AS MATERIALIZED (
    SELECT interrupt_turn(input.session_id, input.user_name, input.interrupts = 'ALL') AS turn_id FROM accepted, input
    WHERE accepted.runs AND NOT accepted.taken AND input.interrupts <> 'NONE'
      AND accepted.busy_policy = 'INTERRUPT' AND (accepted.source_type <> 'GROUP' OR input.mentioned)),
  audit AS (
    ${INSERT_AUDIT}
    SELECT input.audit_id, input.at, 'SESSION', input.session_id,
      CASE WHEN input.retry_of IS NULL THEN interrupted.turn_id ELSE input.turn_id END, input.audit_actor, input.audit_token,
      CASE WHEN accepted.seq = 1 THEN '{"change": "OPENED", "detail": null}'
        WHEN input.retry_of IS NULL THEN '{"change": "TURN_CANCELLED", "detail": null}'
        ELSE jsonb_build_object('change', 'TURN_RETRIED', 'detail', concat_ws(', cancelled: ', input.retry_of, interrupted.turn_id)) END
    FROM accepted CROSS JOIN input LEFT JOIN interrupted ON true
    WHERE accepted.seq = 1 OR interrupted.turn_id IS NOT NULL OR input.retry_of IS NOT NULL),
  turn AS (
    INSERT INTO turns (id, session_id, seq, message_id, retry_of, user_name, mode, created_at, status, step, started_at)
    SELECT input.turn_id, input.session_id, accepted.seq, input.message_id, input.retry_of, input.user_name,
      coalesce(input.mode, accepted.mode), input.at,
      CASE WHEN accepted.taken THEN 'RUNNING' ELSE 'QUEUED' END::turn_status,
      CASE WHEN accepted.taken THEN 'RECEIVED' END::pipeline_step,
      CASE WHEN accepted.taken THEN input.at END
    FROM accepted, input WHERE accepted.runs),
  ${holes.received}${storedSql({
    status: sql`CASE WHEN accepted.taken THEN 'PROCESSING' WHEN accepted.runs THEN 'QUEUED' ELSE 'STORED' END::message_status`,
    turnId: sql`CASE WHEN accepted.runs THEN input.turn_id END`,
  })}
  SELECT accepted.seq, accepted.runs, prior.id AS prior_id, prior.same, (SELECT turn_id FROM interrupted) AS interrupted,
    ${holes.begun} AS begun,
    -- Why nothing was stored is read from the statement's snapshot. NO_QUOTA: there was none to be opened. UNSEEN: the
    -- session is newer than that, so look again. BARRED: at that moment the caller could not reach it. What is left is
    -- the one condition on the row.
    CASE WHEN accepted.seq IS NOT NULL OR prior.id IS NOT NULL THEN NULL
      ${when(opens, sql`WHEN NOT ${QUOTA_ALLOWS} THEN 'NO_QUOTA'`)}
      WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = input.session_id) THEN 'UNSEEN'
      WHEN NOT ${mayReach(sql`input.session_id`)} THEN 'BARRED'
      ELSE 'FULL' END AS outcome
  FROM input LEFT JOIN accepted ON true LEFT JOIN prior ON true`

/** Stores a message whose turn waits. Opens the session where there is none, within the opener's quota. */
export const ACCEPT = intakeStatement('intake.accept', ACCEPT_INPUT, acceptSql({ opens: true, holes: WAITING }))
/** For a caller who may not open the session: there must be one. */
export const ACCEPT_THERE = intakeStatement(
  'intake.accept-there',
  ACCEPT_INPUT,
  acceptSql({ opens: false, holes: WAITING }),
)

const BEGINNING_INPUT = { ...ACCEPT_INPUT, ...BEGIN_INPUT } as const
/**
 * As `ACCEPT`, and begins the turn where nothing stands against it: claims an idle session for the node `input.node`.
 */
export const ACCEPT_AND_BEGIN = intakeStatement(
  'intake.accept-and-begin',
  BEGINNING_INPUT,
  acceptSql({ opens: true, holes: BEGINNING }),
)
/** As `ACCEPT_THERE`, and claims an idle session for the node `input.node`. */
export const ACCEPT_AND_BEGIN_THERE = intakeStatement(
  'intake.accept-and-begin-there',
  BEGINNING_INPUT,
  acceptSql({ opens: false, holes: BEGINNING }),
)

/** Stores a message without a turn in a session that is there. */
export const STORE = intakeStatement(
  'intake.store',
  { ...MESSAGE_INPUT, ...OPENER_INPUT },
  sql`${PRIOR}
  session AS (
    UPDATE sessions s SET message_count = s.message_count + 1, last_message_preview = input.preview,
      last_activity_at = greatest(s.last_activity_at, input.at), last_seq = s.last_seq + 1,
      status = CASE s.status WHEN 'INACTIVE' THEN 'IDLE' ELSE s.status END
    FROM input
    WHERE s.id = input.session_id AND NOT EXISTS (SELECT 1 FROM prior)
      AND ${mayReach(sql`s.id`)} AND ${mayAct(sql`s`)}
    RETURNING s.last_seq),
  accepted AS (SELECT last_seq AS seq FROM session),
  ${storedSql({ status: sql`'STORED'`, turnId: sql`NULL` })}
  SELECT accepted.seq, false AS runs, prior.id AS prior_id, prior.same, NULL AS interrupted, NULL::jsonb AS begun,
    -- As above. A session that the caller did not open is not that caller's; who opened one never changes.
    CASE WHEN accepted.seq IS NOT NULL OR prior.id IS NOT NULL THEN NULL
      WHEN NOT EXISTS (SELECT 1 FROM sessions WHERE id = input.session_id) THEN 'UNSEEN'
      WHEN NOT ${mayReach(sql`input.session_id`)} THEN 'BARRED'
      WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.id = input.session_id AND NOT ${mayAct(sql`s`)}) THEN 'NOT_OPENER'
      ELSE 'UNSEEN' END AS outcome
  FROM input LEFT JOIN accepted ON true LEFT JOIN prior ON true`,
)
