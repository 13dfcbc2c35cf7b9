/**
 * A file enters a session: its row, its event, the audit's entry and what it takes of the workspace's quota, in one
 * transaction under the lock of the session's row. Its bytes are put into the workspace meanwhile: a session that is
 * being deleted either has them set aside with the rest, or is gone before they come.
 */
import { MAX_UPLOADED_FILES } from '../../core/file/uploaded-file.ts'
import { BugError } from '../../platform/must.ts'
import type { Database, Queryable, Statement } from '../database.ts'
import { sql } from '../sql.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit, type Actor } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'

/** A file as it is to be recorded; all of it is checked. */
export interface NewUpload {
  /** Its id, unless there is one of its name. */
  readonly id: string
  readonly sessionId: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  readonly userName: string
  /** An admin sends it: it goes into the workspace of admins, too. */
  readonly byAdmin: boolean
  readonly at: Date
}

interface UploadLimits {
  /** What one workspace may have, in bytes. */
  readonly workspaceBytes: number
  /** What the workspaces of all sessions of this opener may have; null: any. */
  readonly quotaOf: (opener: string) => number | null
}

/** With any kind but Stored nothing was recorded. */
export type UploadOutcome =
  /** `replaced`: there was one of this name, whose id it keeps. */
  | { readonly kind: 'Stored'; readonly id: string; readonly seq: number; readonly replaced: boolean }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }
  /** An admin has sent the one of this name, and a USER sends this one. */
  | { readonly kind: 'AdminsFile' }
  | { readonly kind: 'TooManyFiles'; readonly current: number }
  /** In bytes; `of`: of the session's workspace, or of all that the opener has. */
  | {
      readonly kind: 'NoSpace'
      readonly of: 'WORKSPACE' | 'OPENER'
      readonly limit: number
      readonly current: number
    }
  /** The workspace has something in its place. */
  | { readonly kind: 'NoPlace'; readonly problem: string }

interface Received {
  readonly access: SessionAccess
  readonly actor: Actor
  readonly upload: NewUpload
  readonly limits: UploadLimits
  /** Puts the bytes into the workspace: null, or why that cannot be. */
  readonly place: () => string | null
}

/**
 * On repeat it is stored again, as what replaces itself. Rejects with DATABASE_UNAVAILABLE (retry: backoff), or when
 * the disk fails; the bytes may be in the workspace even so, and are replaced when the file is sent again.
 */
export function storeUpload(
  database: Database,
  { access, actor, upload, limits, place }: Received,
): Promise<UploadOutcome> {
  const { sessionId } = upload
  return database.transaction(async (transaction): Promise<UploadOutcome> => {
    const locked = await LOCK(transaction, { session_id: sessionId, ...accessInput(access) })
    if (locked.length === 0) return { kind: 'NoSession' }
    await transaction.query(LOCK_OPENER, [sessionId])
    const refusal = await refuse(transaction, upload, limits)
    if (refusal !== null) return refusal
    const problem = place()
    if (problem !== null) return { kind: 'NoPlace', problem }
    const { id, name, size, contentType, userName, byAdmin, at } = upload
    const [row] = await STORE<{ id: string; seq: number; replaced: boolean }>(transaction, {
      session_id: sessionId,
      file_id: id,
      name,
      size,
      content_type: contentType,
      user_name: userName,
      by_admin: byAdmin,
      at,
      ...auditInput(actor),
    })
    if (row === undefined) throw new BugError('a file is stored in a session that is locked')
    return { kind: 'Stored', ...row }
  })
}

interface Found {
  readonly opener: string | null
  readonly files: number
  readonly ownBytes: number
  readonly otherBytes: number
  readonly isAdmins: boolean | null
}

async function refuse(
  transaction: Queryable,
  { sessionId, name, size, byAdmin }: NewUpload,
  { workspaceBytes, quotaOf }: UploadLimits,
): Promise<UploadOutcome | null> {
  const [found] = await transaction.query<Found>(FIND_UPLOAD, [sessionId, name])
  if (found === undefined) throw new BugError('an aggregate has a row')
  const { opener, files, ownBytes, otherBytes, isAdmins } = found
  if (isAdmins === true && !byAdmin) return { kind: 'AdminsFile' }
  if (isAdmins === null && files >= MAX_UPLOADED_FILES) return { kind: 'TooManyFiles', current: files }
  if (ownBytes + size > workspaceBytes)
    return { kind: 'NoSpace', of: 'WORKSPACE', limit: workspaceBytes, current: ownBytes }
  const quota = opener === null ? null : quotaOf(opener)
  const usedBytes = ownBytes + otherBytes
  return quota !== null && usedBytes + size > quota
    ? { kind: 'NoSpace', of: 'OPENER', limit: quota, current: usedBytes }
    : null
}

const LOCK = intakeStatement(
  'intake.lock-for-upload',
  { session_id: 'text', ...ACCESS_INPUT },
  sql`held AS MATERIALIZED (
    SELECT s.id FROM input JOIN sessions s ON s.id = input.session_id WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s)
  SELECT id FROM held`,
)

/** So that two uploads into two sessions of one opener do not both get what is left. */
const LOCK_OPENER: Statement = {
  name: 'intake.lock-opener',
  text: 'SELECT pg_advisory_xact_lock(1970496885, hashtext(opener)) FROM opened_sessions WHERE session_id = $1',
}

/** What was measured last counts, and at least the files themselves, also in a session that was imported. */
const FIND_UPLOAD: Statement = {
  name: 'intake.find-upload',
  text: `SELECT o.opener, count(f.id)::int AS files,
      greatest(coalesce(max(o.workspace_bytes), 0), coalesce(sum(f.size), 0))::float8 AS "ownBytes",
      (SELECT coalesce(sum(x.workspace_bytes), 0)::float8 FROM opened_sessions x
        WHERE x.opener = o.opener AND x.session_id <> $1) AS "otherBytes",
      bool_or(f.by_admin) FILTER (WHERE f.name = $2) AS "isAdmins"
    FROM (SELECT $1::text AS id) this LEFT JOIN opened_sessions o ON o.session_id = this.id
      LEFT JOIN uploaded_files f ON f.session_id = this.id GROUP BY o.opener`,
}

const STORE = intakeStatement(
  'intake.store-upload',
  {
    session_id: 'text',
    file_id: 'text',
    name: 'text',
    size: 'bigint',
    content_type: 'text',
    user_name: 'text',
    by_admin: 'boolean',
    at: 'timestamptz',
    ...AUDIT_INPUT,
  },
  sql`file AS (
    INSERT INTO uploaded_files AS f (id, session_id, name, size, content_type, user_name, by_admin, created_at)
    SELECT file_id, session_id, name, size, content_type, user_name, by_admin, at FROM input
    ON CONFLICT (session_id, name) DO UPDATE SET size = excluded.size, content_type = excluded.content_type,
      user_name = excluded.user_name, by_admin = excluded.by_admin, created_at = excluded.created_at
    RETURNING f.id),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 1, last_activity_at = greatest(s.last_activity_at, input.at),
      status = CASE s.status WHEN 'INACTIVE' THEN 'IDLE' ELSE s.status END
    FROM input WHERE s.id = input.session_id RETURNING s.last_seq AS seq),
  used AS (
    UPDATE opened_sessions o SET workspace_bytes = coalesce(o.workspace_bytes, 0) + input.size
    FROM input WHERE o.session_id = input.session_id),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.seq, input.at, NULL, 'FileReceived', jsonb_build_object('fileId', file.id)
    FROM session, file, input),
  ${sessionAudit('FILE_RECEIVED', {
    from: sql`session, file, input`,
    at: sql`input.at`,
    detail: sql`file.id || ': ' || input.size || ' bytes'`,
  })}
  SELECT file.id, session.seq, file.id <> input.file_id AS replaced FROM file, session, input`,
)

/** A file of a session, as messages attach it and the planner is told of it. */
export interface UploadedFile {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly userName: string
  readonly byAdmin: boolean
  /** A message of the turn names it. */
  readonly attached: boolean
}

/** Of `names`, those that the session has. */
export async function findUploads(
  database: Queryable,
  sessionId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ name: string }>(FIND, [sessionId, names])
  return new Set(rows.map(({ name }) => name))
}

const FIND: Statement = {
  name: 'uploads.find',
  text: 'SELECT name FROM uploaded_files WHERE session_id = $1 AND name = ANY ($2::text[])',
}

/** What those messages attach, and the newest others, at most `limit`. */
export async function readUploads(
  database: Queryable,
  of: { readonly sessionId: string; readonly messageIds: readonly string[]; readonly limit: number },
): Promise<readonly UploadedFile[]> {
  return database.query<UploadedFile>(READ, [of.sessionId, of.messageIds, of.limit])
}

const READ: Statement = {
  name: 'uploads.read',
  text: `SELECT f.name, f.size::float8 AS size, f.user_name AS "userName", f.by_admin AS "byAdmin",
      EXISTS (SELECT 1 FROM messages m WHERE m.id = ANY ($2::text[]) AND f.name = ANY (m.attachments)) AS attached
    FROM uploaded_files f WHERE f.session_id = $1 ORDER BY attached DESC, f.created_at DESC, f.name LIMIT $3`,
}
