/**
 * The sweeping up of published files, as a periodic job (app.ts): those that have expired, and bytes that no row tells
 * of, which a crash, a deleted session or a turn that lost its lease has left behind.
 */
import { opendir, stat } from 'node:fs/promises'
import { isPublishedFileId } from '../../core/file/published-file.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Database } from '../database.ts'
import { hasCode } from '../../platform/error-code.ts'
import { deleteExpiredFiles, findUnrecordedFiles } from './published-files.ts'
import { publishedFolder, publishedPath, removePublishedBytes } from './published-bytes.ts'

interface SweepOptions {
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly clock: Clock
  /** Its time stands on the files. */
  readonly hostClock: Clock
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'retentionRemoved'>
}

/** As a job: its name, and when it runs. Until then the query for downloads leaves expired files out. */
export const SWEEP_PUBLISHED_FILES = { name: 'sweep-published-files', cron: '17 * * * *' } as const

const BATCH = 500
/** Bytes come before their row: so long after, the row is not coming any more. */
const UNRECORDED_AFTER_MS = 60 * 60 * 1000

/** Repeatable, also by several processes at once. Rejects when the database or the disk fails; the next run goes on. */
export async function sweepPublishedFiles(options: SweepOptions, signal: AbortSignal): Promise<void> {
  const expired = await removeExpiredFiles(options, signal)
  const unrecorded = await removeUnrecordedBytes(options, signal)
  if (expired + unrecorded > 0) options.logger.info({ expired, unrecorded }, 'published files were removed')
}

/** Rows first: what is left when this breaks off has no row. Resolves to their number. */
async function removeExpiredFiles(
  { database, home, clock, metrics }: SweepOptions,
  signal: AbortSignal,
): Promise<number> {
  for (let removed = 0; ;) {
    const ids = await deleteExpiredFiles(database, clock.now(), BATCH)
    await removePublishedBytes(home, ids)
    removed += ids.length
    metrics.retentionRemoved.inc({ kind: 'files' }, ids.length)
    if (ids.length < BATCH || signal.aborted) return removed
  }
}

async function removeUnrecordedBytes(
  { database, home, hostClock }: SweepOptions,
  signal: AbortSignal,
): Promise<number> {
  const before = hostClock.now().getTime() - UNRECORDED_AFTER_MS
  let removed = 0
  for await (const ids of batchesOf(home)) {
    const unrecorded = await findUnrecordedFiles(database, ids)
    for (const id of unrecorded) {
      if (signal.aborted) return removed
      if (!(await isOlder(publishedPath(home, id), before))) continue
      await removePublishedBytes(home, [id])
      removed += 1
    }
  }
  return removed
}

async function* batchesOf(home: string): AsyncGenerator<readonly string[]> {
  const folder = await opendir(publishedFolder(home)).catch(nullIfMissing)
  if (folder === null) return
  let batch: string[] = []
  for await (const { name } of folder) {
    if (!isPublishedFileId(name)) continue
    batch.push(name)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}

async function isOlder(path: string, timeMs: number): Promise<boolean> {
  const found = await stat(path).catch(nullIfMissing)
  return found !== null && found.mtimeMs < timeMs
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
