/**
 * An exported session names rows of its own alone. A file that was changed could name those of another session of this
 * server: its readers would be shown them, and rows of it would hang on turns of others. And its events could tell of
 * rows that are not there: every subscription that asks for those would fail at them.
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

/** Of these, what may be gone although the event is there: the API shows null. */
const MAY_BE_GONE: ReadonlySet<string> = new Set(['learningId', 'fileId'])

interface Named {
  readonly kind: string
  readonly id: string
  readonly isThere: boolean
}

/**
 * Rejects with TRANSFER_REFUSED when a row of the session names one of another session, or an event one that is not
 * there.
 */
export async function refuseForeignRows(client: Queryable, sessionId: string): Promise<void> {
  const [found] = await client.query<Named>({ name: '', text: FOREIGN, timeoutMs: STATEMENT_TIMEOUT_MS }, [sessionId])
  if (found === undefined) return
  const { kind, id, isThere } = found
  const which = isThere ? 'belongs to another session of this server' : 'is not in the file'
  const problem = `A ${kind} of the file refers to ${id}, which ${which}.`
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
  const join = kind === 'event' && field !== 'turnId' && !MAY_BE_GONE.has(field) ? 'LEFT JOIN' : 'JOIN'
  return `SELECT '${kind}' AS kind, ${named} AS id, o.id IS NOT NULL AS "isThere" FROM ${table} r ${join} ${other} o ON o.id = ${named}
    WHERE r.session_id = $1 AND ${named} IS NOT NULL AND o.session_id IS DISTINCT FROM $1`
}
