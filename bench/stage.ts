/**
 * Where everything is measured: a real server process (`node src/main.ts`, NODE_ENV=production, logs at level info into
 * a file) on a home of its own with the embedded PostgreSQL as users get it (fsync and all), and a language model that
 * answers at once, in a third process.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts'
import { createTemporaryHome } from '../test/harness/temporary-home.ts'
import { show } from './figures.ts'
import { HelperProcess } from './helper-process.ts'
import { cpuMs, postgresCpuMs } from './process-usage.ts'
import type { StubApi } from './stub-main.ts'

export const TOKEN = 'token-of-the-bench-0123456789'
/** Of a user with role "user". */
export const USER_TOKEN = 'token-of-ben-0123456789abcdef'
/** Of the bench's token. */
export const WEBHOOK_SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const START_MS = 120_000
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

export interface StageOptions {
  /** Folder for a CPU profile of the server, written when it stops. */
  readonly profileTo?: string
  /** Another main.ts than this tree's, to compare with. */
  readonly main?: string
  /** More of config.toml. */
  readonly toml?: string
  /** A FACTOTUM_HOME that stays; default: one that is removed. */
  readonly home?: string
  /** Of PostgreSQL, besides those that users get. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A server's process. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Until it said that it is ready. */
  readonly startMs: number
}

export class Stage implements AsyncDisposable {
  readonly url: string
  readonly databaseUrl: string
  /** FACTOTUM_HOME. */
  readonly home: string
  /** The server's process. */
  readonly pid: number
  readonly stub: HelperProcess<StubApi>
  readonly stubUrl: string
  readonly #cleanup: AsyncDisposableStack

  private constructor(
    parts: Pick<Stage, 'url' | 'databaseUrl' | 'home' | 'pid' | 'stub' | 'stubUrl'>,
    cleanup: AsyncDisposableStack,
  ) {
    this.url = parts.url
    this.databaseUrl = parts.databaseUrl
    this.home = parts.home
    this.pid = parts.pid
    this.stub = parts.stub
    this.stubUrl = parts.stubUrl
    this.#cleanup = cleanup
  }

  static async start(options: StageOptions = {}): Promise<Stage> {
    const { profileTo, main = MAIN, toml = '', home: kept, settings = {} } = options
    await using stack = new AsyncDisposableStack()
    const home = kept ?? stack.use(await createTemporaryHome()).path
    const logger = createLogger({ level: 'warn', pretty: false })
    const postgres = await startEmbeddedPostgres({ home, logger, clock: systemClock, settings })
    stack.defer(() => postgres.stop())
    const stub = stack.use(new HelperProcess<StubApi>('stub-main.ts'))
    const stubUrl = await stub.call('baseUrl')
    await writeFile(join(home, 'config.toml'), configuration(stubUrl) + toml, { mode: 0o600 })
    if (profileTo !== undefined) await mkdir(profileTo, { recursive: true })
    const { url, pid } = stack.use(await startServer({ main, home, profileTo }))
    stack.defer(measureCpu(pid, home))
    return new Stage({ url, databaseUrl: postgres.url, home, pid, stub, stubUrl }, stack.move())
  }

  /** Another process of the server on the same database, with a home of its own. */
  async startBeside(): Promise<ServerProcess> {
    await using stack = new AsyncDisposableStack()
    const home = stack.use(await createTemporaryHome()).path
    await copyFile(join(this.home, 'config.toml'), join(home, 'config.toml'))
    const server = stack.use(await startServer({ main: MAIN, home, databaseUrl: this.databaseUrl }))
    const { url, pid, startMs } = server
    const all = stack.move()
    return { url, pid, startMs, [Symbol.asyncDispose]: () => all.disposeAsync() }
  }

  /** An empty database on the same PostgreSQL; its URL. */
  async createDatabase(name: string): Promise<string> {
    const admin = new pg.Client({ connectionString: this.databaseUrl })
    await admin.connect()
    await admin.query(`CREATE DATABASE ${admin.escapeIdentifier(name)}`)
    await admin.end()
    const url = new URL(this.databaseUrl)
    url.pathname = `/${name}`
    return url.href
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync()
  }
}

/** For servers that have no model to ask. */
export async function writeBenchConfig(home: string): Promise<void> {
  await writeFile(join(home, 'config.toml'), configuration('http://127.0.0.1:9'), { mode: 0o600 })
}

function configuration(stubUrl: string): string {
  return `
[users.ada]
role = "admin"
[users.ben]
role = "user"
skills = []
[tokens.bench]
kind = "user"
user = "ada"
token = "${TOKEN}"
webhook_secret = "${WEBHOOK_SECRET}"
[tokens.ben]
kind = "user"
user = "ben"
token = "${USER_TOKEN}"
[providers.stub]
base_url = "${stubUrl}"
[models]
planner = "stub:instant"
[settings]
requests_per_minute = 10_000_000
max_running_per_user = 10_000
introspection_turns = 0
drain_timeout = 0
webhook_require_https = false
webhook_allow_list = ["127.0.0.1"]
`
}

interface ServerOptions {
  readonly main: string
  readonly home: string
  readonly profileTo?: string | undefined
  /** Default: the embedded PostgreSQL of its home. */
  readonly databaseUrl?: string
}

/** A server on a home that is configured; resolves when it is ready. */
export async function startServer({ main, home, profileTo, databaseUrl }: ServerOptions): Promise<ServerProcess> {
  const log = join(home, 'server.log')
  const out = openSync(log, 'a')
  const begunAt = readFileSync(log).length
  const flags = profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const beganMs = performance.now()
  const child = spawn(process.execPath, [...flags, main], {
    env: { PATH: process.env['PATH'], FACTOTUM_HOME: home, NODE_ENV: 'production', PORT: '0', ...database },
    stdio: ['ignore', out, out],
  })
  const written = (): string => readFileSync(log).subarray(begunAt).toString()
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(20)) {
    const url = /"url":"([^"]+)".*factotum is ready/.exec(written())?.[1]
    const startMs = performance.now() - beganMs
    if (url !== undefined) return { url, pid: child.pid ?? 0, startMs, [Symbol.asyncDispose]: () => stopServer(child) }
    if (child.exitCode !== null) break
  }
  child.kill('SIGKILL')
  throw new Error(`the server does not start:\n${written()}`)
}

/** From now on until the returned function is called, which says how much. */
function measureCpu(pid: number, home: string): () => void {
  const before = { server: cpuMs(pid), postgres: postgresCpuMs(home) }
  return () => {
    const [server, postgres] = [cpuMs(pid) - before.server, postgresCpuMs(home) - before.postgres]
    console.error(`  CPU of the server ${show(server)} ms, of PostgreSQL ${show(postgres)} ms`)
  }
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
