/**
 * Opening a file of a workspace that a program may change meanwhile.
 *
 * What must hold: nothing outside of the workspace is opened or read, whatever a program has left there: links, pipes,
 * devices, folders that are exchanged. So every step begins at a folder that is held open and follows no link; and a
 * file that was opened must lie in the workspace, be a plain file, and have no other name.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, type BigIntStats } from 'node:fs'
import { at, inside } from '../../platform/held-folder.ts'

const { O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
/** Opening a pipe must not wait for who writes to it. */
const FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Why something is not read. */
export interface Problem {
  /** For people; goes on after the name of what it is about. */
  readonly problem: string
}

/** The file with these names below the workspace, for reading; the caller closes it. Never throws, never waits. */
export function openInside(workspace: string, names: readonly string[]): number | Problem {
  try {
    const fd = inside(workspace, names.slice(0, -1), (folder) => openSync(at(folder, names.at(-1)), FILE_FLAGS))
    const problem = problemOf(fd, workspace)
    if (problem === null) return fd
    closeSync(fd)
    return { problem }
  } catch (error) {
    const code = codeOf(error)
    return { problem: code === 'ELOOP' ? 'it is a symbolic link, not a file' : `it cannot be read (${code})` }
  }
}

function problemOf(fd: number, workspace: string): string | null {
  const stats = fstatSync(fd, { bigint: true })
  if (!stats.isFile()) return `it is ${kindOf(stats)}, not a file`
  if (stats.nlink > 1n) return 'it is a hard link: another name of it may lie elsewhere'
  // Where there is no /proc (macOS), only admins run programs, and nothing confines those.
  if (process.platform !== 'linux') return null
  const isInside = inside(workspace, [], (root) =>
    readlinkSync(at({ fd, path: '' })).startsWith(`${readlinkSync(at(root))}/`),
  )
  return isInside ? null : 'it lies outside of the workspace'
}

/** "a pipe", for people. */
export function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a pipe'
  return stats.isSocket() ? 'a socket' : 'a device'
}

/** What the system said, such as "ENOENT". */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
