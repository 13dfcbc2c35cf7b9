/**
 * FACTOTUM_HOME: the one directory in which Factotum keeps everything that is not in PostgreSQL, and the embedded
 * PostgreSQL itself. `cli.ts` calls `defaultHome` and `prepareHome` before anything is written there.
 *
 * What must hold: the account that root drops to (for PostgreSQL, for commands) can enter it. For that, permissions are
 * loosened only of directories that are new or empty and therefore hide nothing.
 */
import { createHash } from 'node:crypto'
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError, messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { accountOfUid, canEnter, closedDirectory, existingPart, type Account } from './unprivileged-account.ts'

/** Others may pass through by name, but not look around. */
const PASSABLE = 0o711

/**
 * Where FACTOTUM_HOME is when it is not set: `.factotum` in the working directory. Where that cannot be used (root:
 * `account` cannot enter it; others: it is not writable, or root has used it before), a directory of our own that is
 * always the same for this working directory.
 */
export function defaultHome({ cwd, account }: { readonly cwd: string; readonly account: Account | null }): string {
  const local = join(cwd, '.factotum')
  const fingerprint = createHash('sha256').update(cwd).digest('hex').slice(0, 8)
  const name = `${basename(cwd) || 'root'}-${fingerprint}`
  if (account !== null) {
    return canEnter(homeAccount(local, account), cwd) ? local : join('/var/lib/factotum', name)
  }
  const user = homeOfUser()
  if (user === null || isWritable(pgDirectory(local))) return local
  const own = join(user, '.local', 'share', 'factotum', name)
  return isWritable(own) ? own : local
}

/** Null: HOME names none, and the user has no entry in passwd. */
function homeOfUser(): string | null {
  try {
    return homedir()
  } catch {
    return null
  }
}

/**
 * The home of the server in one of whose workspaces `cwd` is, or null. A command of an admin's task that manages the
 * server (`factotum skill install …`) then means the server that runs it, and not a home of its own in the workspace.
 */
export function homeOfWorkspace(cwd: string): string | null {
  let found: string | null = null
  for (let at = cwd; at !== dirname(at); at = dirname(at)) {
    const home = dirname(dirname(at))
    // The outermost: a folder inside a workspace that resembles a home was made by a command.
    if (basename(dirname(at)) === 'sessions' && existsSync(join(home, 'config.toml'))) found = home
  }
  return found
}

/**
 * The account under which this home's PostgreSQL runs: the owner of the data that is already there (a user's own home,
 * now started by root), else `account`. Null when this process is not root.
 */
export function homeAccount(home: string, account: Account | null): Account | null {
  if (account === null) return null
  const data = statSync(dataDirectory(home), { throwIfNoEntry: false })
  return data === undefined || data.uid === 0 ? account : accountOfUid(data.uid, data.gid)
}

export function pgDirectory(home: string): string {
  return join(home, 'pg')
}

export function dataDirectory(home: string): string {
  return join(pgDirectory(home), 'data')
}

/**
 * Creates `home` where it is missing and returns its real path. On repeat it changes nothing. It becomes the HOME of a
 * process that has none: libraries ask for one when they are imported, and fail without.
 * Throws CONFIG_INVALID, naming the directory and the fix, when it cannot be created or `account` cannot enter it.
 */
export function prepareHome({ home, account }: { readonly home: string; readonly account: Account | null }): string {
  const wanted = resolve(home)
  const user = homeAccount(wanted, account)
  refuseClosed(user, dirname(wanted), wanted)
  const path = createPassable(wanted, account)
  if (!canEnter(user, path) && readdirSync(path).length === 0) chmodSync(path, PASSABLE)
  refuseClosed(user, path, wanted)
  for (const part of [path, pgDirectory(path)]) refuseUnwritable(part, path)
  if (homeOfUser() === null) process.env['HOME'] = path
  return path
}

/** Whether we may make entries in `path`, or create it. */
function isWritable(path: string): boolean {
  try {
    accessSync(existingPart(path), constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function refuseUnwritable(part: string, home: string): void {
  const path = existingPart(part)
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `FACTOTUM_HOME (${home}) cannot be written: ${whyUnwritable(path, error)}`, {
      cause: error,
    })
  }
}

function whyUnwritable(path: string, error: unknown): string {
  if (hasCode(error, 'EROFS')) {
    return `${path} is on a file system that is mounted read-only. Mount it for writing, or set FACTOTUM_HOME to another directory.`
  }
  if (!hasCode(error, 'EACCES')) return `${messageOf(error)}.`
  const { uid, gid } = statSync(path)
  if (uid === process.getuid?.()) return `${path} is closed to its owner. Run "chmod u+rwx ${path}".`
  return (
    `${path} belongs to the user "${accountOfUid(uid, gid).name}", who may have started Factotum here before. ` +
    'Start it as that user, or set FACTOTUM_HOME to a directory of your own.'
  )
}

function refuseClosed(user: Account | null, path: string, home: string): void {
  const closed = closedDirectory(user, path)
  if (user === null || closed === null) return
  throw new AppError(
    'CONFIG_INVALID',
    `The account "${user.name}", which root uses to run PostgreSQL and commands, cannot enter ${closed}, so it cannot reach ` +
      `FACTOTUM_HOME (${home}). Run "chmod o+x ${closed}", or set FACTOTUM_HOME to another directory, such as /var/lib/factotum.`,
  )
}

/** `mkdir -p`, after which `account` can pass through every directory that this made, whatever the umask. */
function createPassable(path: string, account: Account | null): string {
  try {
    const first = mkdirSync(path, { recursive: true })
    if (first !== undefined && account !== null) {
      for (let at = path; at.length >= first.length; at = dirname(at)) chmodSync(at, PASSABLE)
    }
    return realpathSync(path)
  } catch (error) {
    throw new AppError(
      'CONFIG_INVALID',
      `FACTOTUM_HOME (${path}) cannot be used: ${messageOf(error)}. Set FACTOTUM_HOME to a directory that this user may write to.`,
      { cause: error },
    )
  }
}
