/**
 * PgBouncer between a server and the test PostgreSQL, for what happens when its address is given. Not a
 * dependency: where it is not installed, the tests that want it say so in their names.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { freePort, LOOPBACK } from '../../src/postgres/postmaster.ts'
import { programOptions } from '../../src/postgres/postgres-program.ts'
import { unprivilegedAccount } from '../../src/config/home/unprivileged-account.ts'

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
)

/** For the name of a test: empty when there is one. */
export const pgBouncerSkipReason = PROGRAM === undefined ? ' [SKIPPED: no pgbouncer; apt-get install pgbouncer]' : ''

export interface PgBouncer extends AsyncDisposable {
  /** The way to the database of `target`. */
  readonly url: string
}

interface PgBouncerOptions {
  /** One that the account which root drops to can enter. */
  readonly folder: string
  readonly settings: readonly string[]
}

export async function startPgBouncer(target: string, { folder, settings }: PgBouncerOptions): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(target)
  const listenPort = await freePort(null)
  const config = join(folder, 'pgbouncer.ini')
  const server = `host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`
  const lines = [
    '[databases]',
    `pooled = ${server}`,
    '[pgbouncer]',
    `listen_addr = ${LOOPBACK}`,
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    ...settings,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  await chmod(config, 0o644)
  const child = spawn(PROGRAM ?? 'pgbouncer', [config], {
    ...programOptions({ cwd: folder, account: unprivilegedAccount() }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => line.includes('process up') && resolve())
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`PgBouncer does not start: code ${code}`)))
  })
  return {
    url: `postgresql://${username}@${LOOPBACK}:${listenPort}/pooled`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
