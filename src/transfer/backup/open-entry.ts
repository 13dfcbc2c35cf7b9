/**
 * Opening what lies in a folder of the home, which a user's commands may change meanwhile: what is opened is what is
 * read, no link is followed, and no pipe is waited for.
 */
import { constants, type Stats } from 'node:fs'
import { lstat, open, readlink, type FileHandle } from 'node:fs/promises'
import { at, FOLDER_FLAGS, type HeldFolder } from '../../platform/held-folder.ts'

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** What was found; the caller closes `handle`. */
export type Entry =
  | { readonly kind: 'link'; readonly stat: Stats; readonly to: string }
  | { readonly kind: 'file' | 'folder'; readonly stat: Stats; readonly handle: FileHandle }

/** What the system says where a user made it so: it cannot be opened, or has become something else meanwhile. */
const MADE_SO = new Set(['EACCES', 'EINVAL', 'ELOOP', 'EMFILE', 'ENAMETOOLONG', 'ENOTDIR', 'ENXIO', 'EPERM'])

/**
 * Null when it is gone, or of a kind that no backup has (a pipe, a socket, a device); 'unreadable' when it cannot be
 * opened, has become something else meanwhile, or is a link to what is no UTF-8.
 */
export async function openEntry(folder: HeldFolder, name: string): Promise<Entry | 'unreadable' | null> {
  try {
    const path = at(folder, name)
    const stat = await lstat(path)
    if (stat.isSymbolicLink()) {
      const to = textOf(await readlink(path, 'buffer'))
      return to === null ? 'unreadable' : { kind: 'link', stat, to }
    }
    if (stat.isFile()) return await opened(path, 'file')
    return stat.isDirectory() ? await opened(path, 'folder') : null
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code === 'ENOENT') return null
    if (MADE_SO.has(String(code))) return 'unreadable'
    throw error
  }
}

async function opened(path: string, kind: 'file' | 'folder'): Promise<Entry | 'unreadable'> {
  const handle = await open(path, kind === 'file' ? FILE_FLAGS : FOLDER_FLAGS)
  const stat = await handle.stat()
  if (kind === 'file' ? stat.isFile() : stat.isDirectory()) return { kind, stat, handle }
  await handle.close()
  return 'unreadable'
}

/** Null when it is no UTF-8, and so would come back as something else. */
export function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}
