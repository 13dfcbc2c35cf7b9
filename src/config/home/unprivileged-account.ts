/**
 * Root gives its rights away before it starts a database or a command of a stranger. This file says to whom, and
 * whether that account can reach a directory at all: a checkout under /root or in a `mktemp -d` directory (both 0700)
 * is closed to it. Called at start only, hence synchronous.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../core/errors.ts'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** In this order: an account made for PostgreSQL first, then the one that owns nothing. `_postgres` is macOS's name. */
const PREFERRED = ['postgres', '_postgres', 'nobody']

/**
 * Whom root becomes; null when this process is not root (then it stays who it is).
 * Throws CONFIG_INVALID when root finds no such account.
 */
export function unprivilegedAccount(): Account | null {
  if (process.getuid?.() !== 0) return null
  const accounts = readAccounts()
  for (const name of PREFERRED) {
    const found = accounts.find((account) => account.name === name)
    if (found !== undefined) return found
  }
  throw new AppError(
    'CONFIG_INVALID',
    'Started by root, but /etc/passwd has neither "postgres" nor "nobody" to run PostgreSQL under, which refuses to run as root. ' +
      'Start Factotum as another user, or set DATABASE_URL to a PostgreSQL server of yours.',
  )
}

/** The account with this uid. One that /etc/passwd does not list is named after its number. */
export function accountOfUid(uid: number, gid: number): Account {
  return readAccounts().find((account) => account.uid === uid) ?? { name: `uid ${uid}`, uid, gid }
}

/** Whether `account` (null: ourselves) can get into `path`, or into what exists of it. */
export function canEnter(account: Account | null, path: string): boolean {
  return closedDirectory(account, path) === null
}

/**
 * The outermost directory on the way to `path` (itself included) that shuts `account` out; null when none does. The
 * part of the path that does not exist yet is left out: the caller that creates it sets its mode. Symbolic links are
 * followed.
 */
export function closedDirectory(account: Account | null, path: string): string | null {
  if (account === null) return null
  let closed: string | null = null
  for (let at = existingPart(path); ; at = dirname(at)) {
    if (!opensTo(account, at)) closed = at
    if (at === dirname(at)) return closed
  }
}

/** The real path of as much of `path` as exists. */
export function existingPart(path: string): string {
  let at = path
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at)
  return realpathSync(at)
}

/** The kernel asks only one of the three classes, the first that applies. */
function opensTo(account: Account, directory: string): boolean {
  const { uid, gid, mode } = statSync(directory)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & 1) === 1
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .flatMap(([name, , uid, gid]) =>
      name === undefined || uid === undefined || gid === undefined
        ? []
        : [{ name, uid: Number(uid), gid: Number(gid) }],
    )
}
