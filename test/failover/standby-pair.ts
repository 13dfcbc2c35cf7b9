/**
 * Two clusters of the machine's own PostgreSQL: one that takes writes and a synchronous standby of it, so that what is
 * committed on the first is on the second, too.
 */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { unprivilegedAccount } from '../../src/config/home/unprivileged-account.ts'

const run = promisify(execFile)
const LOOK_MS = 100
const STANDBY = 'standby'

interface Server {
  readonly data: string
  readonly port: number
}

export class StandbyPair implements AsyncDisposable {
  readonly #bin: string
  readonly #primary: Server
  readonly #standby: Server

  private constructor(bin: string, [primary, standby]: readonly [Server, Server]) {
    this.#bin = bin
    this.#primary = primary
    this.#standby = standby
  }

  /** In `folder`, which the account that root drops to can enter. Rejects without Debian's PostgreSQL. */
  static async start(folder: string): Promise<StandbyPair> {
    const bin = programs()
    if (bin === null) throw new Error('apt-get install postgresql')
    const place = join(folder, 'pair')
    chmodSync(folder, 0o711)
    mkdirSync(place)
    chmodSync(place, 0o777)
    const [primary, standby] = [
      { data: join(place, 'primary'), port: await freePort() },
      { data: join(place, 'standby'), port: await freePort() },
    ]
    const pair = new StandbyPair(bin, [primary, standby])
    await pair.#do('initdb', '-D', primary.data, '-U', 'postgres', '-A', 'trust', '--no-sync', ...UTF8)
    const settings = [`port = ${primary.port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''"]
    await appendFile(join(primary.data, 'postgresql.conf'), `${settings.join('\n')}\nmax_connections = 200\n`)
    await pair.#start(primary)
    await pair.ask(primary, 'CREATE DATABASE factotum')
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${STANDBY}`
    await pair.#do('pg_basebackup', '-D', standby.data, '-R', '-X', 'stream', '-c', 'fast', '-d', from)
    await appendFile(join(standby.data, 'postgresql.conf'), `port = ${standby.port}\n`)
    await pair.#start(standby)
    await pair.ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`)
    await pair.ask(primary, 'SELECT pg_reload_conf()')
    const isSynchronous = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`
    while ((await pair.ask(primary, isSynchronous)).length === 0) await pause(LOOK_MS)
    return pair
  }

  get primaryUrl(): string {
    return urlOf(this.#primary)
  }

  get standbyUrl(): string {
    return urlOf(this.#standby)
  }

  /** The standby first, so that it has to be passed over. */
  get bothUrl(): string {
    return this.primaryUrl.replace('@', `@127.0.0.1:${this.#standby.port},`)
  }

  static get isInstalled(): boolean {
    return programs() !== null
  }

  /** As a power cut would have it. */
  async killPrimary(): Promise<void> {
    await this.#do('pg_ctl', 'stop', '-D', this.#primary.data, '-m', 'immediate', '-w')
  }

  /** Resolves when it takes writes. */
  async promoteStandby(): Promise<void> {
    await this.#do('pg_ctl', 'promote', '-D', this.#standby.data, '-w')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { data } of [this.#standby, this.#primary])
      await this.#do('pg_ctl', 'stop', '-D', data, '-m', 'immediate', '-w').catch(() => undefined)
  }

  async #start({ data }: Server): Promise<void> {
    await this.#do('pg_ctl', 'start', '-D', data, '-w', '-l', `${data}.log`)
  }

  async ask({ port }: Pick<Server, 'port'>, sql: string): Promise<object[]> {
    const database = sql.startsWith('CREATE DATABASE') ? 'postgres' : 'factotum'
    const client = new pg.Client({ connectionString: urlOf({ port }, database) })
    await client.connect()
    try {
      return (await client.query<object>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Root may not run PostgreSQL: the account that commands of users run under does. */
  async #do(program: string, ...args: readonly string[]): Promise<void> {
    const account = unprivilegedAccount()
    await run(join(this.#bin, program), [...args], { cwd: '/', ...account })
  }
}

/** Of Debian's packages. */
function programs(): string | null {
  const bin = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
  return bin !== undefined && existsSync(join(bin, 'initdb')) ? bin : null
}

/** Whatever the surroundings say of languages. */
const UTF8 = ['--encoding=UTF8', '--locale=C.UTF-8']

function urlOf({ port }: Pick<Server, 'port'>, database = 'factotum'): string {
  return `postgresql://postgres@127.0.0.1:${port}/${database}`
}

/** Of this machine, that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
