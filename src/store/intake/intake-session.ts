/**
 * Sessions are opened, reopened and changed from outside a turn. Each statement commits the change with its
 * SessionUpdated event, or does nothing when there is nothing to change.
 */
import type { BusyPolicy, ConversationType, SessionMode } from '../../core/status.ts'
import type { Database } from '../database.ts'
import { LONGEST_ATTEMPT_MS } from '../delivery.ts'
import {
  ACCESS_INPUT,
  accessInput,
  hasWork,
  mayAct,
  mayReach,
  OPENER_INPUT,
  openerInput,
  type SessionAccess,
} from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit, type Actor } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'
import { QUOTA, QUOTA_ALLOWS, QUOTA_INPUT } from './opened-sessions.ts'
import { sql } from '../sql.ts'

/** Where a session comes from; kept for ever from its first opening. */
export interface SessionSource {
  readonly kind: string
  readonly interactive: boolean
  readonly platform: string | null
  readonly triggerId: string | null
  readonly type: ConversationType
}

/** The parameters that name a session's source, for every statement that may open one. */
export const SOURCE_INPUT = {
  source_kind: 'text',
  source_interactive: 'boolean',
  source_platform: 'text',
  source_trigger_id: 'text',
  source_type: 'conversation_type',
} as const

/** The values of `SOURCE_INPUT`. */
export function sourceInput(source: SessionSource): Readonly<Record<keyof typeof SOURCE_INPUT, unknown>> {
  return {
    source_kind: source.kind,
    source_interactive: source.interactive,
    source_platform: source.platform,
    source_trigger_id: source.triggerId,
    source_type: source.type,
  }
}

/** Where the agent's texts are posted, and the token that set it: its secret signs the posts. */
export interface SessionWebhook {
  readonly url: string
  readonly tokenName: string
}

/** What is said to who plans and answers, and the user who wrote it; null: a connector. */
export interface SessionInstructions {
  readonly text: string
  readonly by: string | null
}

/** A session that is to be opened; its texts are redacted and within the limits. */
export interface NewSession {
  readonly id: string
  readonly source: SessionSource
  /** The name of the token that opens it. */
  readonly connector: string
  /** Whose it is from then on (config/access/session-access.ts). */
  readonly openedBy: string
  /** A JSON object. */
  readonly metadata: string
  readonly webhook: SessionWebhook | null
  readonly description: string | null
  readonly busyPolicy: BusyPolicy
  readonly mode: SessionMode
  /** Null: the configuration's. */
  readonly timeZone: string | null
  /** "provider:model" in place of that of the roles; null: none. */
  readonly model: string | null
  readonly instructions: SessionInstructions | null
  readonly participants: readonly string[]
  readonly at: Date
}

type CreateResult =
  /** `seq`: of its first event. */
  | { readonly kind: 'Created'; readonly seq: number }
  /** There is a session of this id already. */
  | { readonly kind: 'Exists' }
  /** There is none, and the opener has as many as they may. */
  | { readonly kind: 'NoQuota' }

interface CreateOptions {
  readonly actor: Actor
  readonly session: NewSession
  /** How many sessions the opener may have; null: any number. */
  readonly maxSessions: number | null
}

/**
 * Opens a session with its first event and audit entry. Of two calls for one id one creates it; the other, like a
 * repeat, gets Exists and changes nothing.
 */
export async function createSession(
  database: Database,
  { actor, session, maxSessions }: CreateOptions,
): Promise<CreateResult> {
  const [row] = await CREATE<{ allowed: boolean; seq: number | null }>(database, {
    session_id: session.id,
    ...sourceInput(session.source),
    connector: session.connector,
    opened_by: session.openedBy,
    max_sessions: maxSessions,
    metadata: session.metadata,
    webhook: session.webhook?.url ?? null,
    webhook_token: session.webhook?.tokenName ?? null,
    description: session.description,
    busy_policy: session.busyPolicy,
    mode: session.mode,
    time_zone: session.timeZone,
    model: session.model,
    instructions: session.instructions?.text ?? null,
    instructions_by: session.instructions?.by ?? null,
    participants: session.participants,
    at: session.at,
    ...auditInput(actor),
  })
  if (row?.allowed === false) return { kind: 'NoQuota' }
  return row == null || row.seq === null ? { kind: 'Exists' } : { kind: 'Created', seq: row.seq }
}

/** Two openers at once: the second waits for the first's commit, then inserts nothing. */
const CREATE = intakeStatement(
  'intake.create-session',
  {
    session_id: 'text',
    ...SOURCE_INPUT,
    connector: 'text',
    opened_by: 'text',
    ...QUOTA_INPUT,
    metadata: 'jsonb',
    webhook: 'text',
    webhook_token: 'text',
    description: 'text',
    busy_policy: 'busy_policy',
    mode: 'session_mode',
    time_zone: 'text',
    model: 'text',
    instructions: 'text',
    instructions_by: 'text',
    participants: 'text[]',
    at: 'timestamptz',
    ...AUDIT_INPUT,
  },
  sql`${QUOTA}session AS (
    INSERT INTO sessions (id, source_kind, source_interactive, source_platform, source_trigger_id, source_type, connector,
      opened_by, metadata, webhook, webhook_token, description, description_source, busy_policy, mode, time_zone, model,
      instructions, instructions_by, last_seq, created_at, last_activity_at)
    SELECT input.session_id, input.source_kind, input.source_interactive, input.source_platform, input.source_trigger_id,
      input.source_type, input.connector, input.opened_by, input.metadata, input.webhook, input.webhook_token, input.description,
      CASE WHEN input.description IS NOT NULL THEN 'CLIENT'::description_source END, input.busy_policy, input.mode, input.time_zone,
      input.model, input.instructions, input.instructions_by, 1, input.at, input.at
    FROM input WHERE ${QUOTA_ALLOWS} ON CONFLICT (id) DO NOTHING RETURNING id, last_seq),
  participant AS (
    INSERT INTO participants (session_id, user_name, joined_at)
    SELECT session.id, name, input.at FROM session, input, unnest(input.participants) AS name ON CONFLICT DO NOTHING),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT session.id, session.last_seq, input.at, NULL, 'SessionUpdated', '{}' FROM session, input),
  ${sessionAudit('OPENED', { from: sql`session, input`, at: sql`input.at` })}
  SELECT quota.allows AS allowed, session.last_seq AS seq FROM quota LEFT JOIN session ON true`,
)

/** What is to be changed of a session's row and participants; all of it or nothing happens. */
export interface SettingsChange {
  /** A JSON object: its keys replace those of the session's metadata. */
  readonly setMetadata: string
  readonly dropMetadata: readonly string[]
  readonly maxMetadataBytes: number
  /** Absent: as it is; null: none. */
  readonly description?: string | null
  /** Absent: as it is; null: none. */
  readonly webhook?: SessionWebhook | null
  /** Absent: as it is. */
  readonly inactive?: boolean
  /** Absent: as it is. */
  readonly busyPolicy?: BusyPolicy
  /** Absent: as it is. Of messages that are accepted from then on. */
  readonly mode?: SessionMode
  /** Absent: as it is; null: the configuration's. */
  readonly timeZone?: string | null
  /** Absent: as it is; null: those of the roles. */
  readonly model?: string | null
  /** Absent: as it is; null: none. */
  readonly instructions?: SessionInstructions | null
  /** Absent: any. The type of a session never changes. */
  readonly ofType?: ConversationType
  /** Users who shall be participants. */
  readonly join: readonly string[]
  /** Users who shall be none. */
  readonly leave: readonly string[]
  readonly at: Date
}

/** With any kind but Changed nothing was written. `seq` is that of the SessionUpdated event. */
export type ChangeResult =
  | { readonly kind: 'Changed'; readonly seq: number }
  | { readonly kind: 'Unchanged' }
  /** It was to become inactive, but a turn runs or waits. Nothing was changed. */
  | { readonly kind: 'Busy' }
  | { readonly kind: 'MetadataTooLarge' }
  /** The session is not of the type that was named. */
  | { readonly kind: 'OtherType' }
  /** The caller sees the session, but the change is for who opened it. */
  | { readonly kind: 'NotOpener' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

type ChangeRefusal = 'NotOpener' | 'OtherType' | 'Busy' | 'MetadataTooLarge'

/** Changes a session with one SessionUpdated event and one audit entry. Repeating a change gives Unchanged. */
export async function changeSession(
  database: Database,
  { sessionId, access }: { sessionId: string; access: SessionAccess },
  change: SettingsChange,
): Promise<ChangeResult> {
  const [row] = await CHANGE<{ refusal: ChangeRefusal | null; last_seq: number | null }>(database, {
    session_id: sessionId,
    ...accessInput(access),
    ...openerInput(access),
    set_metadata: change.setMetadata,
    drop_metadata: change.dropMetadata,
    max_metadata_bytes: change.maxMetadataBytes,
    sets_description: change.description !== undefined,
    description: change.description ?? null,
    sets_webhook: change.webhook !== undefined,
    webhook: change.webhook?.url ?? null,
    webhook_token: change.webhook?.tokenName ?? null,
    inactive: change.inactive ?? null,
    busy_policy: change.busyPolicy ?? null,
    mode: change.mode ?? null,
    sets_time_zone: change.timeZone !== undefined,
    time_zone: change.timeZone ?? null,
    sets_model: change.model !== undefined,
    model: change.model ?? null,
    sets_instructions: change.instructions !== undefined,
    instructions: change.instructions?.text ?? null,
    instructions_by: change.instructions?.by ?? null,
    of_type: change.ofType ?? null,
    join_names: change.join,
    leave_names: change.leave,
    at: change.at,
    ...auditInput(access),
  })
  if (row === undefined) return { kind: 'NoSession' }
  if (row.refusal !== null) return { kind: row.refusal }
  return row.last_seq === null ? { kind: 'Unchanged' } : { kind: 'Changed', seq: row.last_seq }
}

/** Names of fields, and who came and went. */
const WHAT_CHANGED = sql`concat_ws(', ',
    CASE WHEN wanted.description IS DISTINCT FROM held.description THEN 'description' END,
    CASE WHEN wanted.metadata <> held.metadata THEN 'metadata' END,
    CASE WHEN wanted.webhook IS DISTINCT FROM held.webhook THEN 'webhook' END,
    CASE WHEN wanted.busy_policy <> held.busy_policy THEN 'busy policy ' || wanted.busy_policy END,
    CASE WHEN wanted.mode <> held.mode THEN 'mode ' || wanted.mode END,
    CASE WHEN wanted.time_zone IS DISTINCT FROM held.time_zone THEN 'time zone ' || coalesce(wanted.time_zone, 'of the server') END,
    CASE WHEN wanted.model IS DISTINCT FROM held.model THEN 'model ' || coalesce(wanted.model, 'of the server') END,
    CASE WHEN (wanted.instructions, wanted.instructions_by) IS DISTINCT FROM (held.instructions, held.instructions_by)
      THEN 'instructions' END,
    CASE WHEN wanted.status <> held.status THEN 'status ' || wanted.status END,
    (SELECT 'participant added: ' || string_agg(user_name, ', participant added: ') FROM joined),
    (SELECT 'participant removed: ' || string_agg(user_name, ', participant removed: ') FROM departed))`

/**
 * `held` locks the session's row and reads it as it is then. How many joined and left is counted in FROM, not asked in
 * WHERE: only what FROM delivered stays what it was when the update has to read the row a second time.
 *
 * What pauses for hours because the webhook failed is due at once when another one is set, or none: the next sweep of
 * the outbox posts it there, or gives it up. An attempt under way keeps its time.
 */
const CHANGE = intakeStatement(
  'intake.change-session',
  {
    session_id: 'text',
    ...ACCESS_INPUT,
    ...OPENER_INPUT,
    set_metadata: 'jsonb',
    drop_metadata: 'text[]',
    max_metadata_bytes: 'int',
    sets_description: 'boolean',
    description: 'text',
    sets_webhook: 'boolean',
    webhook: 'text',
    webhook_token: 'text',
    inactive: 'boolean',
    busy_policy: 'busy_policy',
    mode: 'session_mode',
    sets_time_zone: 'boolean',
    time_zone: 'text',
    sets_model: 'boolean',
    model: 'text',
    sets_instructions: 'boolean',
    instructions: 'text',
    instructions_by: 'text',
    of_type: 'conversation_type',
    join_names: 'text[]',
    leave_names: 'text[]',
    at: 'timestamptz',
    ...AUDIT_INPUT,
  },
  sql`held AS MATERIALIZED (
    SELECT s.id, s.status, s.source_type, s.queue_length, s.metadata, s.description, s.description_source, s.webhook, s.webhook_token,
      s.busy_policy, s.mode, s.time_zone, s.model, s.instructions, s.instructions_by, ${mayAct(sql`s`)} AS may_act
    FROM input JOIN sessions s ON s.id = input.session_id WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s),
  wanted AS MATERIALIZED (
    SELECT held.id, (held.metadata || input.set_metadata) - input.drop_metadata AS metadata,
      CASE WHEN input.sets_description THEN input.description ELSE held.description END AS description,
      CASE WHEN NOT input.sets_description THEN held.description_source
        WHEN input.description IS NOT NULL THEN 'CLIENT'::description_source END AS description_source,
      CASE WHEN input.sets_webhook THEN input.webhook ELSE held.webhook END AS webhook,
      CASE WHEN input.sets_webhook THEN input.webhook_token ELSE held.webhook_token END AS webhook_token,
      CASE WHEN input.inactive THEN 'INACTIVE'::session_status
        WHEN NOT input.inactive AND held.status = 'INACTIVE' THEN 'IDLE' ELSE held.status END AS status,
      coalesce(input.busy_policy, held.busy_policy) AS busy_policy,
      coalesce(input.mode, held.mode) AS mode,
      CASE WHEN input.sets_time_zone THEN input.time_zone ELSE held.time_zone END AS time_zone,
      CASE WHEN input.sets_model THEN input.model ELSE held.model END AS model,
      CASE WHEN input.sets_instructions THEN input.instructions ELSE held.instructions END AS instructions,
      -- An admin who gives the same ones makes them theirs: what no admin wrote directs no turn of one.
      CASE WHEN input.sets_instructions AND (input.instructions IS DISTINCT FROM held.instructions
          OR (input.access_all AND input.instructions_by IS NOT NULL)) THEN input.instructions_by
        ELSE held.instructions_by END AS instructions_by
    FROM held, input),
  verdict AS MATERIALIZED (
    SELECT
      CASE WHEN NOT held.may_act THEN 'NotOpener'
        WHEN held.source_type <> input.of_type THEN 'OtherType'
        WHEN input.inactive AND ${hasWork(sql`held`)} THEN 'Busy'
        WHEN wanted.metadata <> held.metadata AND octet_length(wanted.metadata::text) > input.max_metadata_bytes
          THEN 'MetadataTooLarge' END AS refusal,
      (wanted.metadata, wanted.description, wanted.description_source, wanted.webhook, wanted.webhook_token, wanted.status,
        wanted.busy_policy, wanted.mode, wanted.time_zone, wanted.model, wanted.instructions, wanted.instructions_by)
        IS DISTINCT FROM (held.metadata, held.description, held.description_source, held.webhook, held.webhook_token,
          held.status, held.busy_policy, held.mode, held.time_zone, held.model, held.instructions, held.instructions_by)
        AS differs
    FROM held, wanted, input),
  joined AS (
    INSERT INTO participants (session_id, user_name, joined_at)
    SELECT input.session_id, name, input.at FROM verdict, input, unnest(input.join_names) AS name
    WHERE verdict.refusal IS NULL ON CONFLICT DO NOTHING RETURNING user_name),
  departed AS (
    DELETE FROM participants p USING verdict, input
    WHERE verdict.refusal IS NULL AND p.session_id = input.session_id AND p.user_name = ANY (input.leave_names)
    RETURNING p.user_name),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 1, metadata = wanted.metadata, description = wanted.description,
      description_source = wanted.description_source, webhook = wanted.webhook, webhook_token = wanted.webhook_token, status = wanted.status,
      busy_policy = wanted.busy_policy, mode = wanted.mode, time_zone = wanted.time_zone,
      model = wanted.model, instructions = wanted.instructions, instructions_by = wanted.instructions_by
    FROM wanted, verdict, (SELECT (SELECT count(*) FROM joined) + (SELECT count(*) FROM departed) AS number) moved
    WHERE s.id = wanted.id AND verdict.refusal IS NULL AND (verdict.differs OR moved.number > 0)
    RETURNING s.last_seq),
  waiting_posts AS (
    UPDATE deliveries d SET next_attempt_at = now() FROM verdict, held, wanted
    WHERE verdict.refusal IS NULL AND d.session_id = held.id AND d.status = 'PENDING'
      AND (wanted.webhook, wanted.webhook_token) IS DISTINCT FROM (held.webhook, held.webhook_token)
      AND d.next_attempt_at > clock_timestamp() + ${LONGEST_ATTEMPT_MS} * interval '1 millisecond'),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.last_seq, input.at, NULL, 'SessionUpdated', '{}' FROM session, input),
  ${sessionAudit('UPDATED', { from: sql`session, held, wanted, input`, at: sql`input.at`, detail: WHAT_CHANGED })}
  SELECT verdict.refusal, session.last_seq FROM verdict LEFT JOIN session ON true`,
)
