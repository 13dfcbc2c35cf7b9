/**
 * A PostgreSQL whose tables live on a disk of a few megabytes, for tests that fill it. The disk is a tmpfs that
 * bubblewrap mounts for this one server, so it takes no rights and nobody else sees it. The write-ahead log lies
 * elsewhere: what runs full is what would in production, not PostgreSQL's own footing.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { homeAccount } from '../../src/config/home/factotum-home.ts'
import { findPostgresBinaries } from '../../src/postgres/postgres-binaries.ts'
import { prepareCluster, preparePgDirectory, SUPERUSER } from '../../src/postgres/postgres-cluster.ts'
import { programOptions } from '../../src/postgres/postgres-program.ts'
import { freePort, LOOPBACK } from '../../src/postgres/postmaster.ts'
import { unprivilegedAccount } from '../../src/config/home/unprivileged-account.ts'

const DISK_BYTES = 32 * 1024 * 1024
/** `autovacuum` would give back what a failed insert had taken. */
const SETTINGS = { listen_addresses: LOOPBACK, unix_socket_directories: '', fsync: 'off', autovacuum: 'off' }
/** A value that neither compression nor a side table makes smaller: a row is a page. */
const FILLER = 'CREATE TABLE filler (page text); ALTER TABLE filler ALTER COLUMN page SET STORAGE PLAIN'
const FILL = `INSERT INTO filler SELECT repeat('x', 8000) FROM generate_series(1, $1)`

export class SmallDiskPostgres implements AsyncDisposable {
  /** An empty database on the small disk. */
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  /** `home`: a directory that the account which root drops to can enter. */
  static async start(home: string): Promise<SmallDiskPostgres> {
    const account = homeAccount(home, unprivilegedAccount())
    const directory = await preparePgDirectory(home, account)
    const cluster = await prepareCluster(home, directory, {
      binaries: await findPostgresBinaries(directory, account),
      account,
    })
    const disk = join(directory, 'disk')
    await mkdir(disk)
    const port = await freePort(null)
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const mounts = ['--dev-bind', '/', '/', '--size', String(DISK_BYTES), '--tmpfs', disk, '--die-with-parent', '--']
    const server = [cluster.binaries.postgres, '-D', cluster.data, '-p', String(port), ...settings]
    const child = spawn('bwrap', [...mounts, ...server], { ...programOptions({ cwd: directory, account }) })
    await untilReady(child)
    const urlOf = (database: string): string =>
      `postgresql://${SUPERUSER}:${cluster.password}@${LOOPBACK}:${port}/${database}`
    await run(urlOf('postgres'), `CREATE TABLESPACE small LOCATION '${disk}'`)
    await run(urlOf('postgres'), 'CREATE DATABASE factotum TABLESPACE small')
    return new SmallDiskPostgres(child, urlOf('factotum'))
  }

  /** Fills the disk to the last page. */
  async fill(): Promise<void> {
    await run(this.url, FILLER)
    for (const pages of [100_000, 1]) {
      while (!(await isRefused(run(this.url, FILL, [pages])))) {
        // Until it is refused.
      }
    }
  }

  /** Gives the space back. */
  async clear(): Promise<void> {
    await run(this.url, 'DROP TABLE filler')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGQUIT')
    await ended
  }
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      output += String(chunk)
      if (output.includes('ready to accept connections')) resolve()
    })
    child.once('exit', () => reject(new Error(`PostgreSQL does not start: ${output}`)))
  })
}

async function isRefused(insert: Promise<void>): Promise<boolean> {
  try {
    await insert
    return false
  } catch (error) {
    if ((error as { code?: unknown }).code !== '53100') throw error
    return true
  }
}

async function run(url: string, sql: string, values?: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await (values === undefined ? client.query(sql) : client.query(sql, [...values]))
  } finally {
    await client.end()
  }
}
