/**
 * Writes what a session's commands are told of earlier tasks into their workspace (`plan-outputs.ts`). Called by the command
 * host, while no command of the session runs.
 *
 * What must hold: nothing outside of the workspace is written, read or removed, whatever a command has left in the place of
 * our files: links, pipes, folders. So every step begins at a folder that is held open, no link is followed, files are always
 * new, and what is in the way goes first.
 */
import { execFile } from 'node:child_process'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { randomHex } from '../platform/id.ts'
import { OUTPUT_PATHS } from './plan-outputs.ts'

const runFile = promisify(execFile)
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

export interface OutputsToWrite {
  /** The list, as JSON; null: there is nothing to tell. */
  readonly list: string | null
  /** What is there from before is removed. */
  readonly isFirstOfTurn: boolean
}

/** Rejects when the disk does not take it. */
export async function writeOutputs(workspace: string, { list, isFirstOfTurn }: OutputsToWrite): Promise<void> {
  if (isFirstOfTurn) await remove(workspace)
  if (list !== null) await writeFile(workspace, OUTPUT_PATHS.list, list)
}

/** `path` is one that `outputFileOf` made. Rejects when the disk does not take it. */
export async function saveOutput(workspace: string, path: string, text: string): Promise<void> {
  await writeFile(workspace, path, text)
}

interface OpenFolder {
  readonly fd: number
  readonly path: string
}

async function writeFile(workspace: string, path: string, text: string): Promise<void> {
  try {
    writeBelow(workspace, path, text)
  } catch (error) {
    if (!isInTheWay(error)) throw error
    await remove(workspace)
    writeBelow(workspace, path, text)
  }
}

function writeBelow(workspace: string, path: string, text: string): void {
  let folder: OpenFolder = { fd: openSync(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: workspace }
  try {
    for (const name of path.split('/').slice(0, -1)) {
      const next = openFolder(folder, name)
      closeSync(folder.fd)
      folder = next
    }
    writeNew(folder, basename(path), text)
  } finally {
    closeSync(folder.fd)
  }
}

/** Makes it when it is not there. Throws when anything but a folder of ours is in its place. */
function openFolder(parent: OpenFolder, name: string): OpenFolder {
  const path = at(parent, name)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path)
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (fstatSync(fd).uid !== process.geteuid?.()) throw new InTheWay(`${name} belongs to somebody else`)
    fchmodSync(fd, 0o755) // whatever the umask made of it: commands run as another account
    return { fd, path: join(parent.path, name) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Written beside its place first: a reader sees the old file or the new one. */
function writeNew(folder: OpenFolder, name: string, text: string): void {
  const draft = at(folder, `.${randomHex(8)}`)
  const fd = openSync(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  try {
    fchmodSync(fd, 0o644)
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, at(folder, name))
}

/** `name` in a folder that is held open. Where there is no /proc (macOS), by its path. */
function at({ fd, path }: OpenFolder, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(path, name)
}

/** Without following a link: `rm` removes the link itself. No error if there is nothing. */
async function remove(workspace: string): Promise<void> {
  const path = join(workspace, OUTPUT_PATHS.folder)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const clean = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: '/' }
  if (process.geteuid?.() !== 0 && !lstatSync(path).isSymbolicLink()) {
    // A folder that its owner has closed cannot be emptied. What is not ours to open shows when `rm` fails on it.
    await runFile('chmod', ['-R', 'u+rwX', '--', path], clean).catch(() => {})
  }
  await runFile('rm', ['-rf', '--one-file-system', '--', path], clean)
}

class InTheWay extends Error {}

function isInTheWay(error: unknown): boolean {
  if (error instanceof InTheWay) return true
  const code = error instanceof Error && 'code' in error ? error.code : null
  return ['ELOOP', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'EACCES', 'EPERM', 'EMLINK'].includes(String(code))
}
