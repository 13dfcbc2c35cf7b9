/** Reads the files of sessions: what people put in, and what tasks have published. */
import type { Database, Statement } from '../../../store/database.ts'
import type { PageRequest } from '../paging/page-request.ts'
import { toPage, type Page } from '../paging/page.ts'

export interface SessionFile {
  readonly id: string
  readonly origin: 'UPLOADED' | 'PUBLISHED'
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  readonly userName: string | null
  readonly taskId: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
}

const UPLOADED = `SELECT f.id, 'UPLOADED' AS origin, f.name, f.size::float8 AS size, f.content_type AS "contentType", f.user_name AS "userName",
      NULL::text AS "taskId", f.created_at AS "createdAt", NULL::timestamptz AS "expiresAt"
    FROM uploaded_files f`
const PUBLISHED = `SELECT p.id, 'PUBLISHED', p.name, p.size::float8, p.content_type, p.user_name, p.task_id, p.created_at, p.expires_at
    FROM published_files p`

/** The page of every session in `sessionIds`, newest first; files that have expired by `at` are left out. */
export async function readFilePages(
  database: Database,
  { request, at }: { readonly request: PageRequest<'files1'>; readonly at: Date },
  sessionIds: readonly string[],
): Promise<Map<string, Page<SessionFile>>> {
  const [afterAt, afterId] = request.after ?? [null, null]
  const values = [sessionIds, at, afterAt, afterId, request.size + 1]
  const rows = await database.query<SessionFile & { readonly sessionId: string }>(PAGES_OF_FILES, values)
  return new Map(
    sessionIds.map((sessionId) => {
      const own = rows.filter((row) => row.sessionId === sessionId)
      const nodes = own.map((node) => ({
        position: [node.createdAt.toISOString(), node.id] satisfies [string, string],
        node,
      }))
      return [sessionId, toPage('files1', request, nodes)]
    }),
  )
}

const PAGES_OF_FILES: Statement = {
  name: 'page-of-files',
  text: `SELECT parent.id AS "sessionId", file.*
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT * FROM (
        ${UPLOADED} WHERE f.session_id = parent.id
        UNION ALL ${PUBLISHED} WHERE p.session_id = parent.id AND (p.expires_at IS NULL OR p.expires_at > $2)) AS files
      WHERE $3::timestamptz IS NULL OR (files."createdAt", files.id) < ($3, $4::text)
      ORDER BY files."createdAt" DESC, files.id DESC LIMIT $5) AS file
    ORDER BY file."createdAt" DESC, file.id DESC`,
}

/** Those that are still there. */
export async function readUploadsById(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SessionFile>> {
  const rows = await database.query<SessionFile>(BY_ID, [ids])
  return new Map(rows.map((row) => [row.id, row]))
}

const BY_ID: Statement = { name: 'uploads-by-id', text: `${UPLOADED} WHERE f.id = ANY ($1::text[])` }

/** What a message names; of a session that the caller may see. */
export interface Attaching {
  readonly sessionId: string
  readonly attachments: readonly string[]
}

/** In the order in which each message names them; those that are gone are left out. */
export async function readAttachments(
  database: Database,
  messages: readonly Attaching[],
): Promise<ReadonlyMap<Attaching, readonly SessionFile[]>> {
  const named = messages.flatMap(({ sessionId, attachments }) => attachments.map((name) => ({ sessionId, name })))
  const [sessionIds, names] = [named.map(({ sessionId }) => sessionId), named.map(({ name }) => name)]
  const rows = await database.query<SessionFile & { readonly sessionId: string }>(BY_NAME, [sessionIds, names])
  const found = new Map(rows.map((row) => [`${row.sessionId}/${row.name}`, row]))
  return new Map(
    messages.map((message) => [
      message,
      message.attachments.flatMap((name) => found.get(`${message.sessionId}/${name}`) ?? []),
    ]),
  )
}

const BY_NAME: Statement = {
  name: 'uploads-by-name',
  text: `SELECT DISTINCT file."sessionId", file.id, file.origin, file.name, file.size, file."contentType", file."userName", file."taskId",
      file."createdAt", file."expiresAt"
    FROM (SELECT f.session_id AS "sessionId", u.* FROM uploaded_files f JOIN (${UPLOADED}) u ON u.id = f.id) AS file
      JOIN unnest($1::text[], $2::text[]) AS named (session_id, name) ON named.session_id = file."sessionId" AND named.name = file.name`,
}
