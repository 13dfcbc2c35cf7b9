/**
 * `factotum backup`, `restore` and `move-to`: between the database of a server, which may run, and a file or another
 * database. Called by cli.ts.
 */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { BackupAction } from '../../config/command-line/backup-action.ts'
import { Progress } from '../../config/command-line/progress.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { hasCode } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import { VERSION } from '../../platform/version.ts'
import { toAppError } from '../../store/to-app-error.ts'
import { writeWholeFile } from '../whole-file.ts'
import type { HomeFolder } from './home-files.ts'
import { whileNoServerWorks } from './exclusive-source.ts'
import { LeftOut } from './left-out.ts'
import { restoreBackup, type Restored } from './restore-backup.ts'
import { removeStaleParts, STALE_HOURS } from './stale-parts.ts'
import { writeBackup, type WriteBackupOptions } from './write-backup.ts'

export interface BackupCommandOptions {
  readonly databaseUrl: string
  readonly home: string
  readonly clock: Clock
  readonly logger: Logger
  readonly print: (line: string) => void
}

/** What people would search for in vain. */
const LEFT_OUT =
  'Not in it: config.toml, .env and the folders skills, plugins, node_modules, mcp, roles, context. Keep them apart.'

/** Rejects with an AppError that says what to change; then no file is left, and nothing was restored. */
export async function runBackupCommand(action: BackupAction, options: BackupCommandOptions): Promise<void> {
  switch (action.do) {
    case 'backup':
      return backUp(action, options)
    case 'restore':
      return restore(action, options)
    case 'move-to':
      return moveTo(action.databaseUrl, options)
  }
}

async function backUp(
  { file, files, workspaces }: Extract<BackupAction, { do: 'backup' }>,
  options: BackupCommandOptions,
): Promise<void> {
  const folders: HomeFolder[] = [...(files ? (['pub'] as const) : []), ...(workspaces ? (['sessions'] as const) : [])]
  const leftOut = new LeftOut()
  await clearParts(file, options)
  const frames = writeBackup({ ...whole(options), folders, leftOut })
  await writeWholeFile(file, (into) => pipeline(frames, createGzip({ level: 1 }), into)).catch((error: unknown) => {
    throw fileError(error, file)
  })
  options.print(`Backed up to ${file}, as of when this began.`)
  if (folders.length < 2) {
    const left = [...(files ? [] : ['published files (--files)']), ...(workspaces ? [] : ['workspaces (--workspaces)'])]
    options.print(`Only as asked for: ${left.join(', ')}.`)
  }
  printLeftOut(leftOut, options)
  options.print(LEFT_OUT)
}

async function clearParts(file: string, { clock, print }: BackupCommandOptions): Promise<void> {
  const { removed, left } = await removeStaleParts(file, clock)
  for (const path of removed) print(`Removed ${path}, which a backup that was killed had left.`)
  for (const path of left)
    print(`${path} is of a backup that runs, or was killed: after ${STALE_HOURS} h without a change, one removes it.`)
}

async function restore(
  { file }: Extract<BackupAction, { do: 'restore' }>,
  options: BackupCommandOptions,
): Promise<void> {
  const unpacked = createGunzip()
  const flowing = pipeline(createReadStream(file), unpacked).catch((error: unknown) => unpacked.destroy(error as Error))
  const leftOut = new LeftOut()
  try {
    report(await restoreBackup(unpacked, { ...options, leftOut, progress: new Progress(options) }), options)
  } catch (error) {
    throw fileError(error, file)
  } finally {
    unpacked.destroy() // closes the file, too; a pipeline whose source is destroyed at its end never settles
    await flowing
  }
  printLeftOut(leftOut, options)
  options.print('What a backup leaves out (config.toml, .env, skills, plugins, …) goes into its home now, by hand.')
  options.print('Start it with --paused first, to inspect it: then nothing fires, runs or is posted.')
}

async function moveTo(databaseUrl: string, options: BackupCommandOptions): Promise<void> {
  const progress = new Progress(options)
  const leftOut = new LeftOut()
  const restored = await whileNoServerWorks(options, (unlessAtWork) => {
    const frames = unlessAtWork(writeBackup({ ...whole(options), progress, folders: [], leftOut }))
    return restoreBackup(frames, { ...options, progress, databaseUrl, home: null, leftOut })
  })
  report(restored, options)
  printLeftOut(leftOut, options)
  options.print(
    'Next: write that address as DATABASE_URL into .env of the home (or the environment), and start the server.',
  )
  options.print('The old database is left as it is.')
}

function whole(options: BackupCommandOptions): Omit<WriteBackupOptions, 'folders'> {
  return { ...options, version: VERSION, at: options.clock.now(), progress: new Progress(options) }
}

function printLeftOut({ files, tables }: LeftOut, { print }: BackupCommandOptions): void {
  const [namedTables, namedFiles] = [tables.describe(), files.describe()]
  if (namedTables !== null) print(`Left out, because they are no tables of Factotum, ${namedTables}.`)
  if (namedFiles !== null)
    print(
      `Left out, because their names or paths cannot be kept, they cannot be opened or are nearly all holes, ${namedFiles}.`,
    )
}

function report({ header, rows, files }: Restored, { print }: BackupCommandOptions): void {
  print(`Restored ${rows} rows${files > 0 ? ` and ${files} files` : ''}, as of ${header.at}.`)
}

/** What the system says of the one to the database, with the same calls as of a file. */
const OF_CONNECTIONS = ['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH'] as const

function fileError(error: unknown, file: string): unknown {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (code === 'Z_DATA_ERROR' || code === 'Z_BUF_ERROR')
    return new AppError('TRANSFER_REFUSED', `${file} is no backup, or it is damaged.`, { cause: error })
  if (typeof syscall !== 'string' || hasCode(error, ...OF_CONNECTIONS)) return toAppError(error)
  if (typeof code !== 'string' || !['open', 'read', 'write', 'rename'].includes(syscall)) return error
  return new AppError('TRANSFER_REFUSED', `${file} cannot be used: ${messageOf(error)}.`, { cause: error })
}
