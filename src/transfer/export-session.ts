/**
 * A session as JSON Lines: a header, its rows in the order of row-kinds.ts, and a line that says how many there were,
 * so that a file that was cut off is noticed. All of one moment, and read in pages, so that its size does not matter.
 */
import { AppError } from '../core/errors.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable, type Statement } from '../store/database.ts'
import { EXPORT_VERSION, type ExportHeader } from './line-schemas.ts'
import { ROW_KINDS, ROW_NAMES, type RowKind, type RowName } from './row-kinds.ts'

export interface ExportOptions {
  /** In UTC, and in a transaction of one snapshot, or one that holds the session's row. */
  readonly client: Queryable
  readonly sessionId: string
  readonly at: Date
  /** Kinds of rows, in their order and with the session; all when left out. */
  readonly only?: readonly RowName[]
}

/** Lines without their ends. Throws before the first one when there is no such session. */
export async function* exportSession({
  client,
  sessionId,
  at,
  only = ROW_NAMES,
}: ExportOptions): AsyncGenerator<string> {
  let lines = 0
  for (const name of only) {
    for await (const line of linesOf(name, { client, sessionId })) {
      if (lines === 0) yield headerOf(sessionId, at)
      lines += lines === 0 ? 2 : 1
      yield line
    }
    if (lines === 0) throw new AppError('TRANSFER_REFUSED', `There is no session "${sessionId}" in this database.`)
  }
  yield JSON.stringify({ type: 'end', lines })
}

/** As they stand in a file. */
export async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

function headerOf(sessionId: string, at: Date): string {
  const header: ExportHeader = {
    type: 'header',
    format: 'factotum session',
    version: EXPORT_VERSION,
    sessionId,
    exportedAt: at.toISOString(),
  }
  return JSON.stringify(header)
}

interface Page {
  readonly line: string
  readonly key: string
}

async function* linesOf(
  name: RowName,
  { client, sessionId }: Pick<ExportOptions, 'client' | 'sessionId'>,
): AsyncGenerator<string> {
  const kind: RowKind = ROW_KINDS[name]
  const query = pageQuery(name, kind)
  let after: string | number = kind.key.before
  for (;;) {
    const rows = await client.query<Page>(query, [sessionId, after])
    for (const { line } of rows) yield line
    const last = rows.at(-1)
    if (last === undefined || rows.length < kind.page) return
    after = last.key
  }
}

function pageQuery(name: RowName, { table, key, page, fields }: RowKind): Statement {
  const shown = Object.entries(fields).map(([field, { select }]) => `'${field}', ${select}`)
  const session = name === 'session' ? 'id' : 'session_id'
  const text = `SELECT json_build_object('type', '${name}', ${shown.join(', ')})::text AS line, r.${key.column} AS key
    FROM ${table} r WHERE r.${session} = $1 AND r.${key.column} > $2::${key.type} ORDER BY r.${key.column} LIMIT ${page}`
  return { name: `export.${name}`, text, timeoutMs: STATEMENT_TIMEOUT_MS }
}
