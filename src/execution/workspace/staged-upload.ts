/**
 * The bytes of an upload before they are in a workspace: a file beside the workspaces, which no sandbox mounts. So a
 * workspace never holds half a file, and an upload that was broken off leaves nothing there. What a process that died
 * has left is swept up with the workspaces (set-aside-workspace.ts).
 */
import { constants, createWriteStream } from 'node:fs'
import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { randomHex } from '../../platform/id.ts'
import { hasCode } from '../../platform/error-code.ts'
import { sessionsFolder } from './workspace.ts'

/** No workspace's name begins like this. */
const PREFIX = '.upload-'
/** No request lasts as long. */
const ABANDONED_MS = 60 * 60 * 1000

/** A file that has come whole and is in no workspace yet. */
export interface StagedUpload {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/**
 * The bytes are on the disk when it resolves; null: there are more than `maxBytes`. Rejects when they stop coming, the
 * signal aborts or the disk fails; then nothing is left.
 */
export async function stageUpload(
  home: string,
  bytes: Readable,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<StagedUpload | null> {
  await mkdir(sessionsFolder(home), { recursive: true, mode: 0o711 })
  const path = newPath(home)
  const counted = new Counted(maxBytes)
  try {
    await pipeline(bytes, counted, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }), { signal })
    return { path, size: counted.size }
  } catch (error) {
    await rm(path, { force: true })
    if (counted.size > maxBytes) return null
    throw error
  }
}

/** A second one with the same bytes; where the file system can, they share them. */
export async function copyStaged(home: string, { path, size }: StagedUpload): Promise<StagedUpload> {
  const copy = newPath(home)
  await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  return { path: copy, size }
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
