/**
 * `factotum session export|import`: between a file, or a pipe, and the database, also of a server that runs. Called by
 * cli.ts.
 */
import { open } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Progress } from '../config/command-line/progress.ts'
import type { SessionAction } from '../config/command-line/session-action.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { Doorbell } from '../events/doorbell.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { goOnAfterRestore } from '../store/go-on-after-restore.ts'
import { exportSession, withEnds } from './export-session.ts'
import { importSession, type ImportReport } from './import-session.ts'
import { readLines } from './read-lines.ts'
import { inTransferTransaction } from './transfer-transaction.ts'
import { writeWholeFile } from './whole-file.ts'

export interface SessionCommandOptions {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly logger: Logger
  readonly input: Readable
  readonly output: Writable
  /** Says what was done; the export itself may go to `output`. */
  readonly print: (line: string) => void
}

/** Rejects with an AppError that says what to change; then nothing was imported, and no file is left. */
export async function runSessionCommand(action: SessionAction, options: SessionCommandOptions): Promise<void> {
  if (action.do === 'export') return exportTo(action, options)
  const report = await importFrom(action, options)
  await notifyServers(report, options)
  const { sessionId, messages, events, cancelledTurns } = report
  options.print(`Imported session "${sessionId}": ${messages} messages, ${events} events.`)
  if (cancelledTurns > 0)
    options.print(
      `${cancelledTurns} turns were open when it was exported; they are CANCELLED. Send their messages again where needed.`,
    )
}

async function exportTo(
  { sessionId, file }: Extract<SessionAction, { readonly do: 'export' }>,
  options: SessionCommandOptions,
): Promise<void> {
  const { clock, output, print } = options
  await inTransferTransaction(options, 'EXPORT', async (client) => {
    const lines = counted(exportSession({ client, sessionId, at: clock.now() }), options)
    if (file === null) {
      await pipeline(withEnds(lines), output, { end: false }).catch((error: unknown) => {
        // Of another, such as a connection that broke, it says nothing.
        throw error === output.errored ? fileError(error, 'standard output') : error
      })
      return
    }
    await writeWholeFile(file, (into) => pipeline(withEnds(lines), into)).catch((error: unknown) => {
      throw fileError(error, file)
    })
  })
  print(`Exported session "${sessionId}"${file === null ? '' : ` to ${file}`}.`)
}

async function importFrom(
  { file, as }: Extract<SessionAction, { readonly do: 'import' }>,
  options: SessionCommandOptions,
): Promise<ImportReport> {
  try {
    const input = file === null ? options.input : (await open(file)).createReadStream()
    return await inTransferTransaction(options, 'IMPORT', async (client) => {
      // No server may have started on this database yet.
      await goOnAfterRestore(client)
      return importSession({
        client,
        lines: counted(readLines(input), options),
        as,
        at: options.clock.now(),
        by: null,
        otherId: '--as <id>',
      })
    })
  } catch (error) {
    throw fileError(error, file ?? 'standard input')
  }
}

/** The same lines; how many there were so far is said as progress. */
async function* counted(lines: AsyncIterable<string>, options: SessionCommandOptions): AsyncGenerator<string> {
  const progress = new Progress(options)
  let count = 0
  for await (const line of lines) {
    yield line
    count += 1
    progress.say(`${count} lines`)
  }
}

function fileError(error: unknown, file: string): unknown {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string' || !['open', 'read', 'write', 'rename'].includes(String(syscall))) return error
  return new AppError('TRANSFER_REFUSED', `${file} cannot be used: ${messageOf(error)}.`, { cause: error })
}

/** Servers that run show the session in their lists at once. */
async function notifyServers(
  { sessionId, lastSeq: seq }: ImportReport,
  { databaseUrl: url, clock, logger }: SessionCommandOptions,
): Promise<void> {
  const doorbell = new Doorbell({ url, clock, logger })
  await doorbell.start()
  doorbell.ring({ kind: 'log', sessionId, seq, list: true })
  await doorbell.stop()
}
