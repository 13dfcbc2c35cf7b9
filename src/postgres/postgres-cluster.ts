/**
 * The files of the embedded PostgreSQL, all under `<home>/pg`:
 *
 *     data/        the database, owned by the account that runs the server
 *     password     of the superuser "factotum", random, 0600
 *     port         the loopback port used last, so that addresses stay the same over restarts
 *     used-by-<p>  process p uses it
 *     server.log   what the server has to say, bounded
 *     bin-<v>/     the programs, only where they cannot be used in place
 *
 * What must hold: everything here comes into being whole or not at all (made aside, then renamed or linked), so a
 * process killed half-way leaves nothing that the next one trips over, and two processes starting at once end up with
 * the same files. `pg/` itself belongs to us, not to the server's account: when we are root, nothing we open here can
 * be a link planted by it.
 */
import { chmod, chown, link, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../core/errors.ts'
import { randomHex } from '../platform/random.ts'
import { hasCode } from '../platform/error-code.ts'
import { dataDirectory, pgDirectory } from '../config/home/factotum-home.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { isAlive, runPostgresProgram } from './postgres-program.ts'
import { readIfThere } from './read-if-there.ts'
import type { Account } from '../config/home/unprivileged-account.ts'

export const SUPERUSER = 'factotum'

export interface Cluster {
  /** `<home>/pg`. */
  readonly directory: string
  readonly data: string
  readonly log: string
  readonly portFile: string
  readonly password: string
  readonly binaries: PostgresBinaries
  /** Whom the server runs as; null: ourselves. */
  readonly account: Account | null
}

/** `<home>/pg`, open to the account (who may pass, not look around) whatever the umask. */
export async function preparePgDirectory(home: string, account: Account | null): Promise<string> {
  const directory = pgDirectory(home)
  const made = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (made !== undefined && account !== null) await chmod(directory, 0o711)
  return directory
}

/**
 * Makes the database where there is none (about half a second). On repeat it only reads.
 * Throws CONFIG_INVALID for data of another major version, DATABASE_UNAVAILABLE when `initdb` fails.
 */
export async function prepareCluster(
  home: string,
  directory: string,
  programs: { readonly binaries: PostgresBinaries; readonly account: Account | null },
): Promise<Cluster> {
  const cluster: Cluster = {
    ...programs,
    directory,
    data: dataDirectory(home),
    log: join(directory, 'server.log'),
    portFile: join(directory, 'port'),
    password: await settlePassword(join(directory, 'password')),
  }
  const version = await readIfThere(join(cluster.data, 'PG_VERSION'))
  if (version === null) await createData(cluster)
  else if (version.trim() !== cluster.binaries.major) throw otherVersion(cluster, version.trim())
  return cluster
}

/** `link` refuses to replace: whichever process comes first decides, the others read. */
async function settlePassword(file: string): Promise<string> {
  const there = await readIfThere(file)
  if (there !== null) return there
  const draft = `${file}.${randomHex(4)}`
  await writeFile(draft, randomHex(32), { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(draft)
  }
  return await readFile(file, 'utf8')
}

async function createData(cluster: Cluster): Promise<void> {
  await removeLeftovers(cluster.directory)
  const draft = await mkdtemp(join(cluster.directory, `draft-${process.pid}-`))
  try {
    await initialise(cluster, draft)
    await rename(join(draft, 'data'), cluster.data).catch((error: unknown) => {
      // another process was first; its data has the same password
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    })
    await sync(cluster.directory)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function initialise({ account, binaries, password }: Cluster, draft: string): Promise<void> {
  const passwordFile = join(draft, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (account !== null) {
    await chown(passwordFile, account.uid, account.gid)
    await chown(draft, account.uid, account.gid)
  }
  const flags = {
    pgdata: join(draft, 'data'),
    username: SUPERUSER,
    pwfile: passwordFile,
    auth: 'scram-sha-256',
    encoding: 'UTF8',
    locale: 'C',
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const { code, output } = await runPostgresProgram(binaries.initdb, args, { cwd: draft, account })
  if (code !== 0) {
    throw new AppError('DATABASE_UNAVAILABLE', `The embedded PostgreSQL could not create its files: ${output}`)
  }
}

/** Drafts of processes that were killed half-way. Those of living processes are none of our business. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = /^draft-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(directory, name), { recursive: true, force: true })
  }
}

function otherVersion(cluster: Cluster, version: string): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `${cluster.data} was written by PostgreSQL ${version}, this build brings ${cluster.binaries.major}, which cannot read it. ` +
      'Start the version of Factotum that wrote it, run "factotum backup FILE" there, then with this one ' +
      '"factotum restore FILE --home <an empty folder>", and serve that folder; or set DATABASE_URL to a ' +
      `PostgreSQL ${version} server on that directory.`,
  )
}

/** A rename is on disk only once its directory is. */
async function sync(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
