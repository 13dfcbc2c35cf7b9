/**
 * Writes what a session's commands are given of earlier tasks into their workspace (`plan-outputs.ts`). Called by the
 * command host, while no command of the session runs.
 *
 * What must hold: nothing outside of the workspace is written, read or removed, whatever a command has left in the
 * place of our files: links, pipes, folders. So files are written in a folder that is held open, no link is followed,
 * files are always new, and what is in the way goes first. The workspace itself is safe: no command can move it.
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
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { randomHex } from '../../platform/random.ts'
import { OUTPUTS_FOLDER, OUTPUTS_LIST, type SavedOutput } from './plan-outputs.ts'

const runFile = promisify(execFile)
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/** The list of outputs as it is to stand in a workspace. */
export interface OutputsToWrite {
  /** The list, as JSON; null: there is nothing to tell. */
  readonly list: string | null
  readonly files: readonly SavedOutput[]
  /** What is there from before is removed. */
  readonly isFirstOfTurn: boolean
}

/** Rejects when the disk does not take it. */
export async function writeOutputs(workspace: string, { list, files, isFirstOfTurn }: OutputsToWrite): Promise<void> {
  if (isFirstOfTurn) await remove(workspace)
  for (const { path, text } of files) await saveOutput(workspace, path, text)
  if (list !== null) await writeFile(workspace, basename(OUTPUTS_LIST), list)
}

/** `path` is one that `outputFilesOf` made. Rejects when the disk does not take it. */
export async function saveOutput(workspace: string, path: string, text: string): Promise<void> {
  await writeFile(workspace, basename(path), text)
}

/** Our folder in a workspace, held open. */
interface OpenFolder {
  readonly fd: number
  readonly path: string
}

async function writeFile(workspace: string, name: string, text: string): Promise<void> {
  try {
    writeBelow(workspace, name, text)
  } catch (error) {
    if (!isInTheWay(error)) throw error
    await remove(workspace)
    writeBelow(workspace, name, text)
  }
}

function writeBelow(workspace: string, name: string, text: string): void {
  const folder = openFolder(join(workspace, OUTPUTS_FOLDER))
  try {
    writeNew(folder, name, text)
  } finally {
    closeSync(folder.fd)
  }
}

/** Makes it when it is not there. Throws when anything but a folder of ours is in its place. */
function openFolder(path: string): OpenFolder {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path)
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (fstatSync(fd).uid !== process.geteuid?.()) throw new InTheWay(`${path} belongs to another account`)
    fchmodSync(fd, 0o755) // whatever the umask made of it: commands run as another account
    return { fd, path }
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

/** Without following a link: that is removed itself. No error if there is nothing. */
async function remove(workspace: string): Promise<void> {
  const path = join(workspace, OUTPUTS_FOLDER)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  // Root's own folder holds our few files. Any other may hold a tree of any size and depth, which only `rm` can take.
  if (stats.uid === 0 && stats.isDirectory()) return rmSync(path, { recursive: true, force: true })
  const clean = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: '/' }
  if (process.geteuid?.() !== 0 && stats.isDirectory()) {
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
