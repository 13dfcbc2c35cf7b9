/**
 * Removes some of what a session has from before: one transaction, under the lock of the session's row, with the
 * audit's entry, so that all of it is gone and told of, or nothing. Of all processes one at a time does it.
 *
 * What stays: facts, and the learnings that they came from, which only lose their turn; and the session with what it
 * counts. `removed_seq` tells who comes from before (src/events/log.ts).
 */
import type { RetentionKind } from '../../config/schema/retention.ts'
import { REMOVED_OUTPUT } from '../../core/text/erased.ts'
import { newId } from '../../platform/id.ts'
import { INSERT_AUDIT } from '../audit-entries.ts'
import { STATEMENT_TIMEOUT_MS, type Database, type Queryable } from '../database.ts'
import { literal } from '../sql.ts'
import { AGED_ROWS } from './aged-rows.ts'

/** Of which session, and what must be older than `before`; `at`: now. */
export interface Aged {
  readonly sessionId: string
  readonly before: Date
  readonly at: Date
}

/** What one transaction removed. */
export interface Removed {
  readonly count: number
  /** The newest event that went with it; null: the log is as it was. */
  readonly upTo: number | null
  /** There may be more. */
  readonly isMore: boolean
}

const NOTHING: Removed = { count: 0, upTo: null, isMore: false }
/** Rows that one transaction removes; of turns, each with all that hangs on it. */
const LIMITS: Readonly<Record<Exclude<RetentionKind, 'workspaces'>, number>> = {
  turns: 50,
  messages: 500,
  events: 5000,
  outputs: 200,
  deliveries: 1000,
}
type RowKind = keyof typeof LIMITS
/** What a provider keeps of a conversation may hold what is gone here. */
const HELD_BY_PROVIDERS: ReadonlySet<RowKind> = new Set(['turns', 'messages', 'outputs'])

/** Null: another process is at it. Rejects when the database fails; then nothing is removed. */
export function removeAged(database: Database, kind: RowKind, aged: Aged): Promise<Removed | null> {
  return database.transaction(async (transaction) => {
    if (!(await isOurTurn(transaction))) return null
    await run(transaction, 'lock', [aged.sessionId])
    const rows = await run<{ row: string | null; seq: string }>(transaction, kind, [
      [aged.sessionId],
      aged.before,
      LIMITS[kind],
    ])
    if (rows.length === 0) return NOTHING
    const upTo = await REMOVE[kind](transaction, aged.sessionId, {
      ids: rows.flatMap(({ row }) => (row === null ? [] : [row])),
      seqs: rows.map(({ seq }) => Number(seq)),
    })
    if (HELD_BY_PROVIDERS.has(kind)) await run(transaction, 'forget', [aged.sessionId])
    if (upTo !== null) await run(transaction, 'cut', [aged.sessionId, upTo, kind === 'turns' || kind === 'messages'])
    await auditRemoved(transaction, aged, `${kind}: ${rows.length}`)
    return { count: rows.length, upTo, isMore: rows.length === LIMITS[kind] }
  })
}

/**
 * The uploaded files of a session's workspace, which the caller sets aside in the same transaction. Null: another
 * process is at it; undefined: the session is in use again.
 */
export async function forgetUploads(transaction: Queryable, aged: Aged): Promise<number | null | undefined> {
  if (!(await isOurTurn(transaction))) return null
  await run(transaction, 'lock', [aged.sessionId])
  const still = await run(transaction, 'workspaces', [[aged.sessionId], aged.before, 1])
  if (still.length === 0) return undefined
  const files = await run(transaction, 'uploads', [aged.sessionId])
  await run(transaction, 'attachments', [aged.sessionId])
  await run(transaction, 'measured', [aged.sessionId])
  return files.length
}

/** Sessions among `ids` that have uploaded files. */
export async function withUploads(database: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ id: string }>(
    { name: 'retention.with-uploads', text: STATEMENTS['with-uploads'] },
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** The audit's entry of it; in the transaction that removes. */
export async function auditRemoved(transaction: Queryable, { sessionId, at }: Aged, detail: string): Promise<void> {
  const data = JSON.stringify({ change: 'RETENTION_REMOVED', detail })
  await run(transaction, 'audit', [newId('audit'), at, sessionId, data])
}

async function isOurTurn(transaction: Queryable): Promise<boolean> {
  const [row] = await run<{ ours: boolean }>(transaction, 'ours', [])
  return row?.ours === true
}

interface Rows {
  readonly ids: readonly string[]
  readonly seqs: readonly number[]
}

/** Each resolves to the newest event that it removed, or null. */
type Remove = (transaction: Queryable, sessionId: string, rows: Rows) => Promise<number | null>

const REMOVE: Readonly<Record<RowKind, Remove>> = {
  turns: async (transaction, sessionId, { ids }) => {
    await run(transaction, 'detach-learnings', [sessionId, ids])
    await run(transaction, 'detach-turns', [sessionId, ids])
    const messages = await run<{ id: string }>(transaction, 'messages-of', [sessionId, ids])
    const messageIds = messages.map(({ id }) => id)
    const upTo = newest(await run(transaction, 'events-of-turns', [sessionId, ids, messageIds]))
    await run(transaction, 'remove-messages', [sessionId, messageIds])
    return upTo
  },
  messages: async (transaction, sessionId, { ids }) => {
    const upTo = newest(await run(transaction, 'events-of-turns', [sessionId, [], ids]))
    await run(transaction, 'remove-messages', [sessionId, ids])
    return upTo
  },
  events: async (transaction, sessionId, { seqs }) =>
    newest(await run(transaction, 'remove-events', [sessionId, seqs])),
  outputs: async (transaction, sessionId, { ids, seqs }) => {
    await run(transaction, 'remove-outputs', [sessionId, ids])
    return newest(await run(transaction, 'events-of-tasks', [sessionId, ids, Math.min(...seqs)]))
  },
  deliveries: async (transaction, sessionId, { ids }) => {
    await run(transaction, 'remove-deliveries', [sessionId, ids])
    return null
  },
}

function newest([row]: readonly { readonly seq: number | null }[]): number | null {
  return row?.seq ?? null
}

const MARK = literal(REMOVED_OUTPUT)
const some = (kind: RetentionKind): string =>
  `SELECT a.row, a.seq::text AS seq FROM (${AGED_ROWS[kind]}) a ORDER BY a.seq LIMIT $3`
const removedEvents = (which: string): string =>
  `WITH gone AS (DELETE FROM events e WHERE e.session_id = $1 AND ${which} RETURNING e.seq) SELECT max(seq) AS seq FROM gone`

const STATEMENTS = {
  ours: "SELECT pg_try_advisory_xact_lock(hashtextextended('retention', 0)) AS ours",
  lock: 'SELECT id FROM sessions WHERE id = $1 FOR UPDATE',
  turns: some('turns'),
  messages: some('messages'),
  events: some('events'),
  outputs: some('outputs'),
  deliveries: some('deliveries'),
  workspaces: some('workspaces'),
  'detach-learnings':
    'UPDATE learnings SET turn_id = NULL, task_id = NULL WHERE session_id = $1 AND turn_id = ANY ($2::text[])',
  // Otherwise they would go along by cascade.
  'detach-turns': `UPDATE turns SET retry_of = CASE WHEN retry_of = ANY ($2::text[]) THEN NULL ELSE retry_of END,
      joined_into = CASE WHEN joined_into = ANY ($2::text[]) THEN NULL ELSE joined_into END
    WHERE session_id = $1 AND (retry_of = ANY ($2::text[]) OR joined_into = ANY ($2::text[]))`,
  'messages-of': 'SELECT message_id AS id FROM turns WHERE session_id = $1 AND id = ANY ($2::text[])',
  'events-of-turns': removedEvents(`(e.turn_id = ANY ($2::text[])
    OR (e.type IN ('MessageReceived', 'MessageUpdated') AND e.data->>'messageId' = ANY ($3::text[])))`),
  'events-of-tasks': removedEvents(
    `e.seq > $3 AND e.type IN ('TaskOutput', 'TaskProgress') AND e.data->>'taskId' = ANY ($2::text[])`,
  ),
  'remove-events': removedEvents('e.seq = ANY ($2::int[])'),
  // Turns, plans, tasks, approvals, files and deliveries go by cascade; bytes of files are swept up.
  'remove-messages': 'DELETE FROM messages WHERE session_id = $1 AND id = ANY ($2::text[])',
  'remove-outputs': `UPDATE tasks SET output = CASE WHEN output <> '' THEN ${MARK} ELSE output END,
      stderr = CASE WHEN stderr <> '' THEN ${MARK} ELSE stderr END
    WHERE session_id = $1 AND id = ANY ($2::text[])`,
  'remove-deliveries': 'DELETE FROM deliveries WHERE session_id = $1 AND id = ANY ($2::text[])',
  // A turn that runs now has been shown what is gone, and will write its state later: see `removals` of ProviderState.
  forget: 'UPDATE sessions SET removals = removals + 1, provider_state = NULL WHERE id = $1',
  cut: `UPDATE sessions s SET removed_seq = greatest(s.removed_seq, $2),
      last_message_preview = CASE WHEN $3 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = s.id
        AND e.type IN ('MessageReceived', 'TextCompleted')) THEN NULL ELSE s.last_message_preview END
    WHERE s.id = $1`,
  uploads: 'DELETE FROM uploaded_files WHERE session_id = $1 RETURNING id',
  attachments: "UPDATE messages SET attachments = '{}' WHERE session_id = $1 AND attachments <> '{}'",
  measured: 'UPDATE opened_sessions SET workspace_bytes = 0 WHERE session_id = $1 AND workspace_bytes > 0',
  'with-uploads': 'SELECT DISTINCT session_id AS id FROM uploaded_files WHERE session_id = ANY ($1::text[])',
  audit: `${INSERT_AUDIT} VALUES ($1, $2, 'SESSION', $3, NULL, 'retention', NULL, $4)`,
} as const

function run<Row extends object>(
  transaction: Queryable,
  name: keyof typeof STATEMENTS,
  values: readonly unknown[],
): Promise<Row[]> {
  const statement = { name: `retention.${name}`, text: STATEMENTS[name], timeoutMs: STATEMENT_TIMEOUT_MS }
  return transaction.query<Row>(statement, values)
}
