/**
 * Stores the rows of an imported session, a batch at a time; and what cannot go on in another place is brought to an
 * end.
 */
import { AppError } from '../core/errors.ts'
import { idKind, siblingId } from '../platform/id.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable, type Statement } from '../store/database.ts'
import { toAppError } from '../store/to-app-error.ts'
import { hasCode } from '../platform/error-code.ts'
import type { RowLine } from './line-schemas.ts'
import { ROW_KINDS, type RowKind, type RowName } from './row-kinds.ts'

export interface ImportTarget {
  /** In a transaction, which is rolled back when anything here rejects. */
  readonly client: Queryable
  readonly sessionId: string
  /** Null: rows keep their ids. Otherwise they get others, the same for the same salt, in the same order. */
  readonly idSalt: string | null
  /** How another id is asked for. */
  readonly otherId: string
  /** As the session's row names its opener. */
  readonly openedBy: string
}

/** Consecutive lines of one kind. */
export interface RowBatch {
  readonly name: RowName
  readonly firstLine: number
  readonly rows: readonly RowLine[]
}

/** Rejects with TRANSFER_REFUSED, naming the lines, when the rows do not go together, or are here already. */
export async function importRows(target: ImportTarget, batch: RowBatch): Promise<void> {
  const { client, sessionId, idSalt, openedBy } = target
  const kind: RowKind = ROW_KINDS[batch.name]
  const rows = idSalt === null ? batch.rows : batch.rows.map((row) => withOtherIds(row, { kind, idSalt }))
  try {
    const opener = batch.name === 'session' ? [openedBy] : []
    await client.query(insertOf(batch.name, kind), [sessionId, JSON.stringify(rows), ...opener])
  } catch (error) {
    throw describeFailure(error, batch, target)
  }
}

function insertOf(name: RowName, { table, fields }: RowKind): Statement {
  const all = Object.entries(fields)
  const isSession = name === 'session'
  const columns = all.map(([, { column }]) => column)
  const read = all.map(([field]) => `r."${field}"`)
  const types = all.map(([field, { type }]) => `"${field}" ${type}`)
  const text = `INSERT INTO ${table} (${isSession ? 'opened_by, id' : 'session_id'}, ${columns.join(', ')})
    SELECT ${isSession ? '$3, ' : ''}$1, ${read.join(', ')} FROM jsonb_to_recordset($2::jsonb) AS r (${types.join(', ')})`
  return { name: `import.${name}`, text, timeoutMs: STATEMENT_TIMEOUT_MS }
}

function withOtherIds(row: RowLine, { kind, idSalt }: { readonly kind: RowKind; readonly idSalt: string }): RowLine {
  const other = (value: unknown): unknown =>
    typeof value === 'string' && idKind(value) !== null ? siblingId(value, idSalt) : value
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => {
      if (kind.fields[field]?.isId === true) return [field, other(value)]
      if (field !== 'data') return [field, value]
      // What an event tells of.
      const data = Object.entries(value as object).map(([key, part]) => [key, key.endsWith('Id') ? other(part) : part])
      return [field, Object.fromEntries(data)]
    }),
  )
}

function describeFailure(
  error: unknown,
  { name, firstLine, rows }: RowBatch,
  { sessionId, otherId }: ImportTarget,
): unknown {
  const lines = rows.length === 1 ? `Line ${firstLine}` : `Lines ${firstLine} to ${firstLine + rows.length - 1}`
  const detail = (error as { detail?: unknown }).detail
  const said = typeof detail === 'string' ? ` (${detail})` : ''
  if (hasCode(error, '23505') && name === 'session')
    return refuse(`There is a session "${sessionId}" here already. Import it under another id with ${otherId}.`, error)
  if (hasCode(error, '23505'))
    return refuse(
      `${lines}: a ${name} with this id or seq is here already, or twice in the file${said}. With ${otherId} all rows get new ids.`,
      error,
    )
  if (hasCode(error, '23503'))
    return refuse(
      `${lines}: a ${name} refers to what is not in the file before it${said}. Export the session again.`,
      error,
    )
  return toAppError(error)
}

function refuse(message: string, cause: unknown): AppError {
  return new AppError('TRANSFER_REFUSED', message, { cause })
}

/**
 * What was open when the session was exported is CANCELLED, a task that ran INTERRUPTED: no process runs it here. Its
 * turns end with their usual last two events, behind all others. Resolves to the number of such turns.
 */
export async function settleImported(
  { client, sessionId }: Pick<ImportTarget, 'client' | 'sessionId'>,
  at: Date,
): Promise<number> {
  const [ended] = await client.query<{ turns: string }>(unnamed(END_TURNS), [sessionId, at])
  for (const text of END_REST) await client.query(unnamed(text), [sessionId])
  return Number(ended?.turns ?? 0)
}

function unnamed(text: string): Statement {
  return { name: '', text, timeoutMs: STATEMENT_TIMEOUT_MS }
}

const OPEN_TURNS = `('QUEUED', 'JOINED', 'RUNNING', 'AWAITING_APPROVAL')`

const END_TURNS = `WITH open AS MATERIALIZED (
    SELECT id, started_at IS NOT NULL AS began, row_number() OVER (ORDER BY seq) AS n,
      jsonb_build_object('status', 'CANCELLED', 'commandsHandled', '[]'::jsonb, 'failure', NULL,
        'durationMs', greatest(0, extract(epoch FROM $2::timestamptz - coalesce(started_at, $2::timestamptz)) * 1000)::bigint,
        'usage', jsonb_build_object('calls', model_calls, 'inputTokens', input_tokens, 'outputTokens', output_tokens,
          'cachedTokens', cached_tokens, 'cost', cost)) AS ending
    FROM turns WHERE session_id = $1 AND status IN ${OPEN_TURNS}),
  ended AS (
    UPDATE turns t SET status = 'CANCELLED', step = 'COMPLETE', joined_into = NULL, joined_attempt = NULL, finished_at = $2
    FROM open WHERE t.id = open.id),
  counted AS (
    UPDATE sessions s SET last_seq = s.last_seq + 2 * (SELECT count(*) FROM open)::int,
      turn_count = s.turn_count + (SELECT count(*) FROM open WHERE began)::int
    WHERE s.id = $1 RETURNING s.last_seq - 2 * (SELECT count(*) FROM open)::int AS base),
  told AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT $1, base + 2 * n - 1, $2, id, 'PipelineStep', '{"step": "COMPLETE", "detail": null}' FROM open, counted
    UNION ALL SELECT $1, base + 2 * n, $2, id, 'TurnCompleted', ending FROM open, counted)
  SELECT count(*) AS turns FROM open`

const END_REST = [
  `UPDATE messages SET status = 'CANCELLED' WHERE session_id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
  `UPDATE tasks SET status = CASE status WHEN 'RUNNING' THEN 'INTERRUPTED' ELSE 'CANCELLED' END::task_status
    WHERE session_id = $1 AND status IN ('PENDING', 'RUNNING', 'AWAITING_APPROVAL')`,
  `UPDATE approvals SET status = 'CANCELLED' WHERE session_id = $1 AND status = 'PENDING'`,
  `UPDATE delegations SET closed = true, status = CASE WHEN status IN ('PENDING', 'RUNNING') THEN 'CANCELLED' ELSE status END
    WHERE session_id = $1`,
  `UPDATE deliveries SET status = 'DEAD', last_error = 'The session was moved before it was delivered.'
    WHERE session_id = $1 AND status = 'PENDING'`,
  // Its question was one of all sessions, and stayed behind: no answer settles it here.
  `UPDATE learnings SET status = 'PENDING', held = true, decided_by = NULL, decided_at = NULL, reason = NULL
    WHERE session_id = $1 AND status = 'ASKED' AND question_id IS NULL`,
]
