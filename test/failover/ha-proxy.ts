/**
 * HAProxy as `deploy/haproxy.cfg` has it, in front of two PostgreSQL servers of this machine. Patroni says there which
 * of them takes writes; here each of them is asked.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './standby-pair.ts'

const PROGRAM = '/usr/sbin/haproxy'
const EXAMPLE = join(import.meta.dirname, '../../deploy/haproxy.cfg')
const LOOK_MS = 50

export class HaProxy implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess
  readonly #checks: readonly Server[]

  private constructor(url: string, child: ChildProcess, checks: readonly Server[]) {
    this.url = url
    this.#child = child
    this.#checks = checks
  }

  /** Rejects without Debian's HAProxy. `url`: of both, in the order of the example. */
  static async start(folder: string, [one, two]: readonly [one: string, two: string]): Promise<HaProxy> {
    if (!existsSync(PROGRAM)) throw new Error('apt-get install haproxy')
    const checks = await Promise.all([startCheck(one), startCheck(two)])
    const [first, second] = [serverLine(one, checks[0]), serverLine(two, checks[1])]
    const port = await freePort()
    const example = await readFile(EXAMPLE, 'utf8')
    const config = example
      .replace('bind 127.0.0.1:5432', `bind 127.0.0.1:${port}`)
      .replace('10.0.0.11:5432', first)
      .replace('10.0.0.12:5432', second)
    const path = join(folder, 'haproxy.cfg')
    await writeFile(path, config)
    const child = spawn(PROGRAM, ['-db', '-f', path], { stdio: ['ignore', 'inherit', 'inherit'] })
    const url = new URL(one)
    url.port = String(port)
    const proxy = new HaProxy(url.href, child, checks)
    while (!(await listens(port))) await pause(LOOK_MS)
    return proxy
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill()
      await once(this.#child, 'exit')
    }
    for (const check of this.#checks) check.close()
  }
}

function serverLine(url: string, check: Server): string {
  const { port } = check.address() as AddressInfo
  return `127.0.0.1:${new URL(url).port} port ${port}`
}

/** `GET /primary` answers 200 where the server takes writes, and 503 elsewhere. */
async function startCheck(url: string): Promise<Server> {
  const server = createServer((_, response) => {
    void takesWrites(url).then((isPrimary) => response.writeHead(isPrimary ? 200 : 503).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function takesWrites(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1000, query_timeout: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
    return rows[0]?.isStandby === false
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const end = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
