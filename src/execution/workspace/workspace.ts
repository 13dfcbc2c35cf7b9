/**
 * The folders in which a session's commands run: `<home>/sessions/<name>` for those of role USER, which only the
 * sandbox enters, and `<name>.admin` beside it for those of admins, with a home of their own, `<name>.home`. No sandbox
 * mounts the latter two: shells, git, interpreters and build tools run what they find in their home and working
 * directory, so what a less trusted person can write must never lie there for a command with the server's rights.
 *
 * Only its owner may enter a folder: the unprivileged account for a USER of a server that runs as root, otherwise the
 * server's user. The parent folder may be crossed by others, not listed, so that the unprivileged account gets in.
 *
 * Called by the command host, which never runs two commands of one session at a time, and for uploads.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../core/errors.ts'
import type { Account } from '../../config/home/unprivileged-account.ts'
import { hasCode } from '../../platform/error-code.ts'

const runFile = promisify(execFile)
const SLUG_LENGTH = 40
const HASH_LENGTH = 32
/** A workspace's name holds no dot. */
const ADMIN_FOLDERS = { workspace: '.admin', home: '.home' } as const

/**
 * A folder name for any session id: readable, and different for any two ids, also where the file system ignores case.
 * The hash carries the difference; what stands before it is only for people.
 */
export function workspaceName(sessionId: string): string {
  const slug = sessionId
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, HASH_LENGTH)
  return slug === '' ? hash : `${slug}-${hash}`
}

/** The folder of all workspaces; absent until the first one is prepared. */
export function sessionsFolder(home: string): string {
  return join(home, 'sessions')
}

/** The workspace of role USER; it may not have been made yet. */
export function workspacePath(home: string, sessionId: string): string {
  return join(sessionsFolder(home), workspaceName(sessionId))
}

/** The workspace of role ADMIN; it may not have been made yet. */
export function adminWorkspacePath(home: string, sessionId: string): string {
  return `${workspacePath(home, sessionId)}${ADMIN_FOLDERS.workspace}`
}

/** HOME of an admin's commands. It lasts as long as the session, for what their tools configure and cache. */
export function adminHomePath(home: string, sessionId: string): string {
  return `${workspacePath(home, sessionId)}${ADMIN_FOLDERS.home}`
}

/** All that a session may have in the folder of workspaces; `name` is that of its workspace there. */
export function folderNames(name: string): readonly string[] {
  return [name, `${name}${ADMIN_FOLDERS.workspace}`, `${name}${ADMIN_FOLDERS.home}`]
}

/**
 * Makes `path` a workspace that `owner` (null: the server's own user) can use, and creates it when needed. On the usual
 * way, the folder is there and belongs to the owner, this is one system call. Rejects with WORKSPACE_UNUSABLE when
 * something else is in its place.
 */
export async function prepareWorkspace(path: string, owner: Account | null): Promise<void> {
  const uid = owner?.uid ?? process.geteuid?.() ?? 0
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return createWorkspace(path, owner)
  if (!stats.isDirectory()) throw new AppError('WORKSPACE_UNUSABLE', `The workspace ${path} is not a folder.`)
  const isRoot = process.geteuid?.() === 0
  if (stats.uid !== uid && isRoot) await handOver(path, `${uid}:${owner?.gid ?? 0}`)
  // A command may have closed it to its own account: then no other would start in it.
  if ((stats.mode & 0o700) !== 0o700 && (stats.uid === uid || isRoot)) chmodSync(path, 0o700)
}

/** The folder of workspaces, when it is missing: whatever the umask is, the account of commands can pass through it. */
export function createSessionsFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true })
  if (made !== undefined) chmodSync(folder, 0o711)
}

/** Does nothing where it is there, also when another process has just made it. */
export function createWorkspace(path: string, owner: Account | null): void {
  createSessionsFolder(join(path, '..'))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return
    throw error
  }
  chmodSync(path, 0o700) // whatever the umask made of it
  if (owner !== null) chownSync(path, owner.uid, owner.gid)
}

/**
 * For a server whose unprivileged account is another one than before (git, for one, refuses folders of others). Files
 * with several names stay as they are: another name may lie outside the workspace (`git clone` of a local repository
 * makes such). The folder itself comes last, so an interrupted hand-over is repeated.
 */
async function handOver(path: string, ownership: string): Promise<void> {
  const movable = ['(', '-type', 'd', '-o', '-links', '1', ')']
  await runFile('find', [path, '-xdev', '-depth', ...movable, '-execdir', 'chown', '-h', ownership, '{}', '+'], CLEAN)
}

/**
 * Deletes a workspace with everything in it, also below folders without write permission. No error if there is none.
 */
export async function removeWorkspace(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  if (process.geteuid?.() !== 0) await runFile('chmod', ['-R', 'u+rwX', '--', path], CLEAN).catch(ignoreUntilRemoval)
  // Not fs.rm: it works on whole paths, which a command can make too long to open. `rm` descends folder by folder.
  await runFile('rm', ['-rf', '--one-file-system', '--', path], CLEAN)
}

const CLEAN = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: '/' }

/** What could not be made writable shows again, with its reason, when `rm` fails on it. */
function ignoreUntilRemoval(): void {}
