/**
 * The bytes of an upload before they are in a workspace: a file beside the workspaces, which no sandbox mounts. So a
 * workspace never holds half a file, and an upload that was broken off leaves nothing there. What a process that died
 * has left is swept up with the workspaces (set-aside-workspace.ts).
 */
import { constants } from 'node:fs'
import { copyFile, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomHex } from '../../platform/random.ts'
import { hasCode } from '../../platform/error-code.ts'
import { explainDisk } from './explain-disk.ts'
import { createSessionsFolder, sessionsFolder } from './workspace.ts'

/** No workspace's name begins like this. */
const PREFIX = '.upload-'
/** No request lasts as long. */
const ABANDONED_MS = 60 * 60 * 1000
const NOT_STORED = 'The disk of this server takes no more files; nothing was stored.'

/** A file that has come whole and is in no workspace yet. */
export interface StagedUpload {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/**
 * The bytes are on the disk when it resolves; null: there are more than `maxBytes`. Rejects when they stop coming, the
 * signal aborts or the disk takes no files (STORAGE_FULL); then nothing is left. Of a disk that fails it tells
 * when all bytes have come: a sender that is cut off in the middle reads no answer.
 */
export async function stageUpload(
  home: string,
  bytes: Readable,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<StagedUpload | null> {
  const path = newPath(home)
  const counted = new Counted(maxBytes)
  try {
    const take = (source: AsyncIterable<Buffer>): Promise<DiskFailure | null> => writeWhole(path, source)
    const failure = await pipeline(bytes, counted, take, { signal })
    if (failure !== null) throw explainDisk(failure.error, NOT_STORED)
    return { path, size: counted.size }
  } catch (error) {
    await rm(path, { force: true })
    if (counted.size > maxBytes) return null
    throw error
  }
}

interface DiskFailure {
  readonly error: unknown
}

/** Reads the source to its end in any case. Null: all of it is in the file. */
async function writeWhole(path: string, source: AsyncIterable<Buffer>): Promise<DiskFailure | null> {
  let failure: DiskFailure | null = null
  let file: FileHandle | null = null
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    if (failure !== null) return
    await work().catch((error: unknown) => (failure = { error }))
  }
  try {
    await attempt(async () => {
      createSessionsFolder(dirname(path))
      file = await open(path, 'wx', 0o600)
    })
    for await (const chunk of source) await attempt(async () => file?.writeFile(chunk))
    await attempt(async () => file?.sync())
    return failure
  } finally {
    await closeQuietly(file)
  }
}

/** What it would say of the disk has been said by `sync`. */
async function closeQuietly(file: FileHandle | null): Promise<void> {
  await file?.close().catch(() => undefined)
}

/** A second one with the same bytes; where the file system can, they share them. */
export async function copyStaged(home: string, { path, size }: StagedUpload): Promise<StagedUpload> {
  const copy = newPath(home)
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    return { path: copy, size }
  } catch (error) {
    await rm(copy, { force: true })
    throw explainDisk(error, NOT_STORED)
  }
}

/** No error when it has been put into a workspace already. */
export async function discardStaged({ path }: StagedUpload): Promise<void> {
  await rm(path, { force: true })
}

/** Of the `entries` of the folder of workspaces: what processes that died have left. */
export async function findAbandoned(
  { home, nowMs }: { readonly home: string; readonly nowMs: number },
  entries: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of entries.filter((entry) => entry.startsWith(PREFIX))) {
    const changedMs = await changedAt(join(sessionsFolder(home), name))
    if (changedMs !== null && changedMs < nowMs - ABANDONED_MS) found.push(name)
  }
  return found
}

async function changedAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function newPath(home: string): string {
  return join(sessionsFolder(home), `${PREFIX}${randomHex(16)}`)
}

/** Passes bytes on until there are too many. */
class Counted extends Transform {
  size = 0
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    super()
    this.#maxBytes = maxBytes
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.size += chunk.length
    if (this.size > this.#maxBytes) done(new Error('too many bytes'))
    else done(null, chunk)
  }
}
