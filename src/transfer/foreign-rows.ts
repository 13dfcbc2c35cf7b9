/**
 * An exported session names rows of its own alone. A file that was changed could name those of another session of this
 * server: its readers would be shown them, and rows of it would hang on turns of others.
 */
import { AppError } from '../core/errors.ts'
import { must } from '../platform/must.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable } from '../store/database.ts'
import { ROW_KINDS, type RowKind } from './row-kinds.ts'

/** Where the row lies whose id a field has, in rows and in what events tell of. */
const TABLES: Readonly<Record<string, string>> = {
  messageId: 'messages',
  turnId: 'turns',
  joinedIntoId: 'turns',
  retryOfId: 'turns',
  planId: 'plans',
  taskId: 'tasks',
  questionId: 'questions',
  learningId: 'learnings',
  approvalId: 'approvals',
  delegationId: 'delegations',
  fileId: 'uploaded_files',
}
/** What an event tells of. */
export const OF_EVENTS: readonly string[] = [
  'messageId',
  'planId',
  'taskId',
  'learningId',
  'approvalId',
  'delegationId',
  'fileId',
]

interface Named {
  readonly kind: string
  readonly id: string
}

/** Rejects with TRANSFER_REFUSED when a row of the session, which kept its ids, names one of another session. */
export async function refuseForeignRows(client: Queryable, sessionId: string): Promise<void> {
  const [found] = await client.query<Named>({ name: '', text: FOREIGN, timeoutMs: STATEMENT_TIMEOUT_MS }, [sessionId])
  if (found === undefined) return
  const { kind, id } = found
  const problem = `A ${kind} of the file refers to ${id}, which belongs to another session of this server.`
  throw new AppError('TRANSFER_REFUSED', `${problem} An export does not: the file was changed.`)
}

const FOREIGN = `${[
  ...Object.entries<RowKind>(ROW_KINDS).flatMap(([kind, { table, fields }]) =>
    Object.entries(fields).flatMap(([field, { column, isId }]) =>
      isId && field !== 'id' ? [foreignIn({ kind, table, field, named: `r.${column}` })] : [],
    ),
  ),
  ...OF_EVENTS.map((field) => foreignIn({ kind: 'event', table: 'events', field, named: `r.data->>'${field}'` })),
].join('\nUNION ALL\n')}\nLIMIT 1`

interface Naming {
  readonly kind: string
  readonly table: string
  readonly field: string
  /** The id, in SQL. */
  readonly named: string
}

function foreignIn({ kind, table, field, named }: Naming): string {
  const other = must(TABLES[field], `${field} names a row of a table`)
  return `SELECT '${kind}' AS kind, o.id FROM ${table} r JOIN ${other} o ON o.id = ${named}
    WHERE r.session_id = $1 AND o.session_id IS DISTINCT FROM $1`
}
