/**
 * A peer's server, as a process of its own, and a client of it: one message, and the stream of what comes of it. What
 * must hold: a turn has ended when the stream has, so that the next message of the session does not meet it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const START_MS = 120_000
const TURN_MS = 60_000
/** What the stand-in model answers in the end. */
const ANSWER = 'It printed hi.'

export interface PeerKind {
  readonly name: string
  /** Whose version is said. */
  readonly packages: readonly string[]
  /** A script of this folder. */
  readonly server: string
  /** Undefined: it keeps everything in memory. */
  readonly database?: string
  readonly protocol: Protocol
  /** What is there when the answer is, and what is not. */
  readonly keeps: string
}

interface Protocol {
  readonly open?: (sessionId: string) => Posted
  readonly send: (sessionId: string, content: string) => Posted
  /** The pieces of text in an event of the stream. */
  readonly textOf: (event: never) => string
}

interface Posted {
  readonly path: string
  readonly body: object
}

export interface TurnTimes {
  /** Until the whole answer was read. */
  readonly answerMs: number
  /** Until the stream ended. */
  readonly endMs: number
}

export class Peer implements AsyncDisposable {
  readonly pid: number
  readonly #kind: PeerKind
  readonly #url: string
  readonly #child: ChildProcess
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })

  private constructor(kind: PeerKind, url: string, child: ChildProcess) {
    this.#kind = kind
    this.#url = url
    this.#child = child
    this.pid = child.pid ?? 0
  }

  static async start(kind: PeerKind, at: { modelUrl: string; databaseUrl: string | undefined }): Promise<Peer> {
    const child = spawn(process.execPath, [fileURLToPath(new URL(kind.server, import.meta.url))], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        LOG_LEVEL: 'error',
        MODEL_URL: at.modelUrl,
        ...(at.databaseUrl === undefined ? {} : { PEER_DATABASE_URL: at.databaseUrl }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const url = await readyAt(child, kind.name)
    return new Peer(kind, url, child)
  }

  /** A new session's id. */
  async openSession(): Promise<string> {
    const sessionId = randomUUID()
    const { open } = this.#kind.protocol
    if (open !== undefined) await this.#post(open(sessionId))
    return sessionId
  }

  /** One message after another, each sent when all that came of the last one was read. */
  async runTurns(sessionId: string, count: number, content: string): Promise<TurnTimes[]> {
    const found: TurnTimes[] = []
    for (let turn = 0; turn < count; turn += 1)
      found.push(await this.#post(this.#kind.protocol.send(sessionId, content), ANSWER))
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    // Nothing of it is kept: it need not put anything away.
    this.#child.kill('SIGKILL')
    await exited
  }

  /** Rejects for any status but 2xx, and when the stream ends without `answer`. */
  #post({ path, body }: Posted, answer = ''): Promise<TurnTimes> {
    const text = JSON.stringify(body)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
    const beganMs = performance.now()
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(TURN_MS)
      const sent = request(
        `${this.#url}${path}`,
        { method: 'POST', agent: this.#agent, headers, signal },
        (response) => {
          const stream = new AnswerStream(this.#kind.protocol.textOf, answer)
          response.setEncoding('utf8')
          response.on('data', (piece: string) => stream.read(piece))
          response.on('error', reject)
          response.on('end', () => {
            const ok = Math.floor((response.statusCode ?? 0) / 100) === 2
            if (!ok || stream.answeredAtMs === null)
              reject(new Error(`${this.#kind.name}: ${response.statusCode} ${stream.text.slice(-2000)}`))
            else resolve({ answerMs: stream.answeredAtMs - beganMs, endMs: performance.now() - beganMs })
          })
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  }
}

/** Reads server-sent events, and notes when the answer was whole. */
class AnswerStream {
  text = ''
  answeredAtMs: number | null
  readonly #textOf: Protocol['textOf']
  readonly #answer: string
  #said = ''
  #rest = ''

  constructor(textOf: Protocol['textOf'], answer: string) {
    this.#textOf = textOf
    this.#answer = answer
    this.answeredAtMs = answer === '' ? performance.now() : null
  }

  read(piece: string): void {
    this.text += piece
    const lines = (this.#rest + piece).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: {') && !line.startsWith('data: [{')) continue
      this.#said += this.#textOf(JSON.parse(line.slice('data: '.length)) as never)
      if (this.answeredAtMs === null && this.#said.endsWith(this.#answer)) this.answeredAtMs = performance.now()
    }
  }
}

async function readyAt(child: ChildProcess, name: string): Promise<string> {
  const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
  try {
    const lines = child.stdout === null ? [] : createInterface({ input: child.stdout })
    for await (const line of lines) {
      const url = /^ready at (.+)$/.exec(line)?.[1]
      if (url === undefined) continue
      child.stdout?.resume()
      return url
    }
  } finally {
    clearTimeout(late)
  }
  throw new Error(`${name}: its server ended, or was not ready within ${START_MS / 1000} s`)
}
