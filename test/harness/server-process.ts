/**
 * A server in a process of its own, started as a release starts it (server-program.ts), for tests that kill, stop or
 * pause it. What it logs is collected, and is how tests know what happens inside. Use with `await using`: the end of
 * the test ends it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serverProgram } from './server-program.ts'

/** A line of the server's log (pino). */
export interface LogLine {
  readonly time: string
  readonly msg: string
  readonly [field: string]: unknown
}

export interface ServerProcessOptions {
  readonly home: string
  /** Null: the embedded PostgreSQL of the home. */
  readonly databaseUrl: string | null
  readonly onLog?: (pid: number, line: LogLine) => void
  /** Which lines `logs` keeps; all unless given. */
  readonly keepsLog?: (line: LogLine) => boolean
  /** Instead of the server as a release has it: run in the checkout, and its pid is the one that signals go to. */
  readonly command?: readonly string[]
  /** Besides what every server is given. */
  readonly env?: Readonly<Record<string, string>>
}

export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
/**
 * As the workers of the tests have it (vitest.config.ts), with whom it shares the code cache: Node keeps one for each
 * set of flags.
 */
const NODE_FLAGS = ['--wasm-tiering-budget=100000000']
const SETPRIV = '/usr/bin/setpriv'
/** What is shown of the output of a server that does not start. */
const QUOTED_CHARACTERS = 4000

export class ServerProcess implements AsyncDisposable {
  /** Where it answers. */
  readonly url: string
  readonly pid: number
  /** Resolves when the process is gone and all that it logged is in `logs`. */
  readonly ended: Promise<ProcessEnd>
  readonly logs: readonly LogLine[]
  readonly #running: Running

  private constructor(running: Running, url: string) {
    this.#running = running
    this.url = url
    this.pid = running.child.pid ?? 0
    this.ended = running.ended
    this.logs = running.logs
  }

  /** Resolves when the server takes requests and work. Rejects with its output when it ends before. */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const command = options.command ?? [process.execPath, ...NODE_FLAGS, await serverProgram()]
    const running = new Running({ ...options, command })
    const ready = await running.logged('factotum is ready')
    return new ServerProcess(running, String(ready['url']))
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.#running.child
    return exitCode === null && signalCode === null
  }

  /**
   * The first log line with this message, logged already or still to come. Rejects when the process ends without it.
   */
  logged(message: string, accept: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    return this.#running.logged(message, accept)
  }

  /** As `kill -9`, a crash or a power cut would have it. */
  async kill(): Promise<ProcessEnd> {
    this.signal('SIGKILL')
    return this.ended
  }

  /** Asks it to stop; `ended` tells when it has. SIGSTOP and SIGCONT work too. */
  signal(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.#running.child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

/**
 * Where it can be had: the kernel ends the server when the test run itself is killed. `setpriv` becomes the server, pid
 * and all.
 */
function dyingWithParent(): [string, ...string[]] | [] {
  return existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []
}

interface Waiting {
  readonly message: string
  readonly accept: (line: LogLine) => boolean
  readonly resolve: (line: LogLine) => void
  readonly reject: (error: Error) => void
}

type RunningOptions = ServerProcessOptions & Required<Pick<ServerProcessOptions, 'command'>>

/** The process and its output, from the first line on. */
class Running {
  readonly child: ChildProcess
  readonly ended: Promise<ProcessEnd>
  readonly logs: LogLine[] = []
  readonly #onLog: (pid: number, line: LogLine) => void
  readonly #keepsLog: (line: LogLine) => boolean
  #output = ''
  #waiting: Waiting[] = []
  #hasEnded = false

  constructor({ home, databaseUrl, onLog = () => {}, keepsLog = () => true, command, env }: RunningOptions) {
    this.#onLog = onLog
    this.#keepsLog = keepsLog
    const { PATH } = process.env
    const [file = '', ...args] = [...dyingWithParent(), ...command]
    this.child = spawn(file, args, {
      cwd: CHECKOUT,
      env: {
        ...(PATH === undefined ? {} : { PATH }),
        ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
        FACTOTUM_HOME: home,
        PORT: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', (line) => this.#read(line))
    }
    this.ended = new Promise((resolve) => {
      // Not 'exit': what was written last is read by then.
      this.child.once('close', (code, signal) => {
        this.#end()
        resolve({ code, signal })
      })
    })
  }

  logged(message: string, accept: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    const found = this.logs.find((line) => line.msg === message && accept(line))
    if (found !== undefined) return Promise.resolve(found)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, accept, resolve, reject })
      if (this.#hasEnded) this.#end()
    })
  }

  #read(text: string): void {
    this.#output = `${this.#output}${text}\n`.slice(-QUOTED_CHARACTERS)
    if (!text.startsWith('{')) return
    const line = JSON.parse(text) as LogLine
    if (this.#keepsLog(line)) this.logs.push(line)
    this.#onLog(this.child.pid ?? 0, line)
    this.#waiting = this.#waiting.filter((one) => {
      if (one.message !== line.msg || !one.accept(line)) return true
      one.resolve(line)
      return false
    })
  }

  #end(): void {
    this.#hasEnded = true
    for (const { message, reject } of this.#waiting) {
      reject(new Error(`the server ended without logging "${message}":\n${this.#output}`))
    }
    this.#waiting = []
  }
}
