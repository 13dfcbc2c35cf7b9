/** The folders of the home that a backup may have: published files, and the workspaces of sessions. */
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, lchown, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { lineOf, type BackupFrame } from './backup-format.ts'

/** Below the home. */
export type HomeFolder = 'pub' | 'sessions'

interface HomeFilesOptions {
  readonly home: string
  readonly folders: readonly HomeFolder[]
}

/**
 * Files that vanish meanwhile are left out; one that grows is cut to what it was, one that shrinks is filled with
 * NUL.
 */
export async function* readHomeFiles({ home, folders }: HomeFilesOptions): AsyncGenerator<Buffer, void, void> {
  for (const folder of folders) yield* readPath(home, join(home, folder))
}

async function* readPath(home: string, path: string): AsyncGenerator<Buffer, void, void> {
  const name = relative(home, path)
  const stat = await lstat(path).catch(ifGone)
  if (stat === null) return
  const { uid, gid } = stat
  const mode = stat.mode & 0o7777
  if (stat.isSymbolicLink()) yield lineOf({ link: name, to: await readlink(path), uid, gid })
  else if (stat.isFile()) {
    yield lineOf({ file: name, mode, uid, gid, bytes: stat.size })
    yield* exactly(path, stat.size)
  } else if (stat.isDirectory()) {
    yield lineOf({ folder: name, mode, uid, gid })
    for (const entry of (await readdir(path).catch(ifGone)) ?? []) yield* readPath(home, join(path, entry))
  }
}

async function* exactly(path: string, size: number): AsyncGenerator<Buffer, void, void> {
  let left = size
  if (left === 0) return
  try {
    for await (const chunk of createReadStream(path, { end: size - 1 })) {
      left -= (chunk as Buffer).length
      yield chunk as Buffer
    }
  } catch (error) {
    ifGone(error)
  }
  for (; left > 0; left -= Math.min(left, PADDING.length)) yield PADDING.subarray(0, left)
}

const PADDING = Buffer.alloc(64 * 1024)

function ifGone(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}

type HomeFrame = Exclude<BackupFrame, { table: string } | { end: true }>

/**
 * Refuses a name that leads out of the home, and what is there already. With the owner it had, where that is allowed.
 */
export async function writeHomeFile(home: string, frame: HomeFrame, bytes: AsyncIterable<Buffer>): Promise<void> {
  const path = resolve(home, 'file' in frame ? frame.file : 'folder' in frame ? frame.folder : frame.link)
  if (!['pub', 'sessions'].some((folder) => `${path}${sep}`.startsWith(join(home, folder) + sep)))
    throw new AppError('TRANSFER_REFUSED', 'The backup is damaged: a file lies outside of the home.')
  await refuseLinks(home, dirname(path))
  if ('link' in frame) await symlink(frame.to, path)
  else if ('folder' in frame) await mkdir(path, { recursive: true })
  else await pipeline(Readable.from(bytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  if (!('link' in frame)) await chmod(path, frame.mode)
  if (process.getuid?.() === 0) await lchown(path, frame.uid, frame.gid)
}

/** A link of the backup must not lead its later files elsewhere. */
async function refuseLinks(home: string, folder: string): Promise<void> {
  for (let at = folder; at.length > home.length; at = dirname(at)) {
    const stat = await lstat(at).catch(ifGone)
    if (stat !== null && !stat.isDirectory())
      throw new AppError('TRANSFER_REFUSED', `${at} is in the way: it is no folder.`)
  }
}
