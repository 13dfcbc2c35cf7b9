/** The folders of the home that a backup may have: published files, and the workspaces of sessions. */
import { createReadStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { hasCode } from '../../platform/error-code.ts'
import { lineOf } from './backup-format.ts'

/** Below the home: published files, and workspaces. */
export const HOME_FOLDERS = ['pub', 'sessions'] as const
export type HomeFolder = (typeof HOME_FOLDERS)[number]

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
