/**
 * Reads an exported session line by line and stores it whole, or, with the first line that is wrong, not at all. What
 * the lines may be is in line-schemas.ts; memory holds one batch of them.
 */
import type * as z from 'zod'
import { AppError, messageOf } from '../core/errors.ts'
import { newId } from '../platform/id.ts'
import { randomHex } from '../platform/random.ts'
import type { Queryable } from '../store/database.ts'
import { OPENED_ELSEWHERE } from '../store/intake/intake-access.ts'
import type { Actor } from '../store/intake/intake-audit.ts'
import { INSERT_AUDIT } from '../store/audit-entries.ts'
import { refuseForeignRows } from './foreign-rows.ts'
import { importRows, settleImported, type ImportTarget } from './import-rows.ts'
import { endSchema, EXPORT_VERSION, headerSchema, rowSchema, type ExportHeader, type RowLine } from './line-schemas.ts'
import { ROW_NAMES, type RowName } from './row-kinds.ts'

export interface ImportOptions {
  /** In a transaction, which is to be rolled back when this rejects. */
  readonly client: Queryable
  readonly lines: AsyncIterable<string>
  /** The id that the session gets, and with it all its rows new ones; null: those that they had. */
  readonly as: string | null
  readonly at: Date
  /** For the audit; null: who has the database at hand. */
  readonly by: Actor | null
  /** How another id is asked for, as people are told when this one is taken. */
  readonly otherId: string
  /** Of a fork: whose it is, and what the audit tells of it. An imported session is nobody's here. */
  readonly fork?: { readonly openedBy: string; readonly detail: string }
}

export interface ImportReport {
  readonly sessionId: string
  readonly lastSeq: number
  readonly messages: number
  readonly events: number
  /** Turns that were open when the session was exported. */
  readonly cancelledTurns: number
}

const BATCH_ROWS = 200
const BATCH_CHARS = 4_000_000

/** Rejects with TRANSFER_REFUSED, naming the line and what is wrong with it. */
export async function importSession(options: ImportOptions): Promise<ImportReport> {
  const { client, lines, as, at, by, otherId, fork } = options
  // A user with the same name on this server need not be the opener.
  const openedBy = fork?.openedBy ?? OPENED_ELSEWHERE
  const reading = lines[Symbol.asyncIterator]()
  const header = readHeader(await nextOf(reading))
  const sessionId = as ?? header.sessionId
  const session = new SessionImport({
    client,
    sessionId,
    idSalt: as === null ? null : randomHex(16),
    otherId,
    openedBy,
  })
  let isWhole = false
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) {
    if (isWhole && next.value.trim() === '') continue
    if (isWhole) throw refuse(session.line + 1, 'the end line must be the last one')
    isWhole = await session.add(next.value)
  }
  if (!isWhole)
    throw new AppError(
      'TRANSFER_REFUSED',
      `The file ends after line ${session.line} without its end line: it was cut off. Export the session again.`,
    )
  // A fork is made here, of what is here.
  if (fork === undefined) await refuseForeignRows(client, sessionId)
  const cancelledTurns = await settleImported({ client, sessionId }, at)
  const change = fork === undefined ? importedAs(header, session.line) : { change: 'FORKED', detail: fork.detail }
  const entry = [newId('audit'), at, 'SESSION', sessionId, null, by?.userName ?? null, by?.tokenName ?? null, change]
  await client.query({ name: '', text: `${INSERT_AUDIT} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)` }, entry)
  return { ...session.report(), cancelledTurns, lastSeq: session.lastSeq + 2 * cancelledTurns }
}

function importedAs({ sessionId, exportedAt }: ExportHeader, lines: number): object {
  return { change: 'IMPORTED', detail: `from "${sessionId}", exported ${exportedAt}: ${lines} lines` }
}

async function nextOf(reading: AsyncIterator<string>): Promise<string> {
  const next = await reading.next()
  return next.done === true ? '' : next.value
}

function readHeader(line: string): z.output<typeof headerSchema> {
  const value = parseJson(line, 1)
  const version = (value as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version > EXPORT_VERSION)
    throw refuse(
      1,
      `version ${version} of the format comes from a newer Factotum; this one reads version ${EXPORT_VERSION}`,
    )
  return check(headerSchema, { value, line: 1 })
}

/** The rows so far; they come in the order of row-kinds.ts. */
class SessionImport {
  /** The number of the last line that was read. */
  line = 1
  lastSeq = -1
  readonly #target: ImportTarget
  readonly #counts = new Map<RowName, number>()
  #name: RowName | null = null
  #rows: RowLine[] = []
  #chars = 0

  constructor(target: ImportTarget) {
    this.#target = target
  }

  /** True: it was the end. */
  async add(text: string): Promise<boolean> {
    this.line += 1
    const value = parseJson(text, this.line)
    const type = String((value as { type?: unknown } | null)?.type)
    if (type === 'end') {
      await this.#end(check(endSchema, { value, line: this.line }).lines)
      return true
    }
    const name = ROW_NAMES.find((one) => one === type)
    const schema = name === undefined ? undefined : rowSchema(name)
    if (name === undefined || schema === undefined)
      throw refuse(this.line, `"type" must be one of ${[...ROW_NAMES, 'end'].join(', ')}; it is "${type}"`)
    this.#checkOrder(name)
    const row = this.#checkSeq(check(schema, { value, line: this.line }))
    if (name !== this.#name || this.#rows.length >= BATCH_ROWS || this.#chars >= BATCH_CHARS) await this.#flush()
    this.#name = name
    this.#rows.push(name === 'session' ? asIdle(row) : row)
    this.#chars += text.length
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    return false
  }

  report(): Omit<ImportReport, 'cancelledTurns' | 'lastSeq'> {
    const { sessionId } = this.#target
    return { sessionId, messages: this.#counts.get('message') ?? 0, events: this.#counts.get('event') ?? 0 }
  }

  #checkOrder(name: RowName): void {
    const before = this.#name
    if (before === null && name !== 'session')
      throw refuse(this.line, `the first row must be the session; it is a ${name}`)
    if (before === null) return
    if (name === 'session') throw refuse(this.line, 'there can be one session in a file')
    if (ROW_NAMES.indexOf(name) < ROW_NAMES.indexOf(before))
      throw refuse(this.line, `"${name}" cannot come after "${before}"; the order is ${ROW_NAMES.join(', ')}`)
  }

  #checkSeq(row: RowLine): RowLine {
    if (typeof row['lastSeq'] === 'number') this.lastSeq = row['lastSeq']
    if (typeof row['seq'] === 'number' && row['seq'] > this.lastSeq)
      throw refuse(this.line, `seq: must be at most ${this.lastSeq}, the lastSeq of the session; it is ${row['seq']}`)
    return row
  }

  async #end(lines: number): Promise<void> {
    if (this.#name === null) throw refuse(this.line, 'there is no session in the file')
    if (lines !== this.line - 1)
      throw refuse(
        this.line,
        `${lines} lines should come before it, not ${this.line - 1}: some are missing, or were added`,
      )
    await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#name === null || this.#rows.length === 0) return
    const rows = this.#rows
    const firstLine = this.line - rows.length
    this.#rows = []
    this.#chars = 0
    await importRows(this.#target, { name: this.#name, firstLine, rows })
  }
}

/** Nothing of it runs or waits here. */
function asIdle(session: RowLine): RowLine {
  return session['status'] === 'INACTIVE' ? session : { ...session, status: 'IDLE' }
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw refuse(line, `it is no JSON: ${messageOf(error)}`)
  }
}

function check<Output>(
  schema: z.ZodType<Output>,
  { value, line }: { readonly value: unknown; readonly line: number },
): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  throw refuse(line, issues.join('; '))
}

function refuse(line: number, problem: string): AppError {
  return new AppError('TRANSFER_REFUSED', `Line ${line}: ${problem}. Nothing was imported.`)
}
