/**
 * The folders of the home that a backup may have: published files, and the workspaces of sessions.
 *
 * What must hold: whatever users' commands change meanwhile, nothing outside of these folders is read, and none of it
 * makes the backup fail, or one that cannot be restored: what is not fit for it is left out.
 */
import { lstat, open, readdir, realpath, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AppError, messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { at, FOLDER_FLAGS, type HeldFolder } from '../../platform/held-folder.ts'
import { lineOf } from './backup-format.ts'
import type { Names } from './left-out.ts'
import { openEntry, textOf, type Entry } from './open-entry.ts'

/** Below the home: published files, and workspaces. */
export const HOME_FOLDERS = ['pub', 'sessions'] as const
export type HomeFolder = (typeof HOME_FOLDERS)[number]

/** In bytes, below the home. The system takes 4096, and where it is restored the path to the home may be longer. */
const LONGEST_PATH = 3000
/** Of one file: reading what a command made with `truncate -s 8E` would not end. */
const MOST_HOLES = 2 ** 40
/** What the system counts the space of a file in. */
const BLOCK = 512
const PADDING = Buffer.alloc(64 * 1024)

interface HomeFilesOptions {
  readonly home: string
  readonly folders: readonly HomeFolder[]
  readonly leftOut: Names
}

/** A folder that is held open, and its name below the home. */
interface Place {
  readonly folder: HeldFolder
  readonly name: string
  readonly leftOut: Names
}

/**
 * Files that vanish meanwhile are left out; one that grows is cut to what it was, one that shrinks is filled with
 * NUL.
 */
export async function* readHomeFiles({ home, folders, leftOut }: HomeFilesOptions): AsyncGenerator<Buffer, void, void> {
  for (const name of folders) {
    const path = join(home, name)
    await using handle = await openFolder(path, name)
    if (handle !== null) {
      const entry = { kind: 'folder', stat: await handle.stat(), handle } as const
      yield* readOpened(entry, handle, { folder: { fd: handle.fd, path: home }, name, leftOut })
    } else if (await isThere(path)) leftOut.add(name)
  }
}

/** Through a link, too: an operator may keep it on another disk, and no command of a user can put one in its place. */
async function openFolder(path: string, name: HomeFolder): Promise<FileHandle | null> {
  try {
    return await open(await realpath(path), FOLDER_FLAGS)
  } catch (error) {
    return hasCode(error, 'EACCES', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EPERM') ? null : throwAbout(name)(error)
  }
}

/** Also a link that leads nowhere. */
function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function* readEntry(place: Place, bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  const text = textOf(bytes)
  const name = join(place.name, bytes.toString('utf8'))
  const isFit = text !== null && Buffer.byteLength(name) <= LONGEST_PATH
  const entry = isFit ? await openEntry(place.folder, text).catch(throwAbout(name)) : 'unreadable'
  if (entry === 'unreadable') place.leftOut.add(name)
  else if (entry?.kind === 'link') {
    const { uid, gid } = entry.stat
    yield lineOf({ link: name, to: entry.to, uid, gid })
  } else if (entry !== null) {
    await using handle = entry.handle
    if (hasTooManyHoles(entry)) place.leftOut.add(name)
    else yield* readOpened(entry, handle, { ...place, name })
  }
}

function hasTooManyHoles({ kind, stat: { size, blocks } }: Entry): boolean {
  return kind === 'file' && size - blocks * BLOCK > MOST_HOLES
}

async function* readOpened(
  { kind, stat: { mode: bits, uid, gid, size } }: Entry,
  handle: FileHandle,
  { folder, name, leftOut }: Place,
): AsyncGenerator<Buffer, void, void> {
  const mode = bits & 0o7777
  if (kind === 'file') {
    yield lineOf({ file: name, mode, uid, gid, bytes: size })
    yield* exactly(handle, name, size)
    return
  }
  yield lineOf({ folder: name, mode, uid, gid })
  const held = { fd: handle.fd, path: join(folder.path, basename(name)) }
  const entries = await readdir(at(held), { encoding: 'buffer' }).catch(throwAbout(name))
  for (const entry of entries) yield* readEntry({ folder: held, name, leftOut }, entry)
}

async function* exactly(handle: FileHandle, name: string, size: number): AsyncGenerator<Buffer, void, void> {
  let left = size
  while (left > 0) {
    const piece = Buffer.allocUnsafe(Math.min(left, PADDING.length))
    const { bytesRead } = await handle.read(piece, 0, piece.length, size - left).catch(throwAbout(name))
    if (bytesRead === 0) break
    left -= bytesRead
    yield piece.subarray(0, bytesRead)
  }
  for (; left > 0; left -= Math.min(left, PADDING.length)) yield PADDING.subarray(0, left)
}

/** Otherwise the file of the backup would be blamed. */
function throwAbout(name: string) {
  return (error: unknown): never => {
    throw new AppError('TRANSFER_REFUSED', `${name} of the home cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}
