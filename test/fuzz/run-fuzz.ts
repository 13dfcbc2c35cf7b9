/**
 * Sends random operations to a server in a process of its own and judges what comes back. What must hold: every request
 * is answered, none with a server error; nothing is thrown that nobody expected; no answer is larger than answers may
 * be; and the server needs no more memory in the end than in the beginning.
 */
import { chmod, writeFile } from 'node:fs/promises'
import { Agent, request } from 'undici'
import { buildSchema } from '../../src/graphql/schema/schema.ts'
import { SeededRandom } from '../harness/seeded-random.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { ServerProcess, type LogLine } from '../harness/server-process.ts'
import { storyConfig, tokenOf } from '../harness/story.ts'
import { Fuzzer, type FuzzedRequest } from './fuzzer.ts'

export interface FuzzOptions {
  readonly home: string
  readonly databaseUrl: string
  readonly seed: number
  /** How many operations are sent. */
  readonly documents: number
  readonly onProgress: (text: string) => void
}

interface Memory {
  readonly rssMb: number
  readonly heapMb: number
}

export interface FuzzReport {
  /** What must not be; empty when all is well. */
  readonly findings: readonly string[]
  /** How many were sent, by what was meant, and answered, by status and code. */
  readonly counts: Readonly<Record<string, number>>
  readonly largestBytes: number
  readonly slowestMs: number
  /** In each fifth of the run: the middle of the RSS, the lowest of the heap. */
  readonly memory: readonly Memory[]
}

const AT_ONCE = 8
const SAMPLES = 200
const MAX_ANSWER_BYTES = 17 * 1024 * 1024
const MAX_GROWTH = 1.15
/**
 * With fewer, what grows is what a server keeps for good: compiled code, prepared statements, caches that are not full.
 */
const ENOUGH_FOR_MEMORY = 100_000
const MAX_FINDINGS = 50
const ERROR_LEVEL = 50

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { home, databaseUrl } = options
  const settings = { requests_per_minute: 10_000_000 }
  // The server's commands run under an account of their own.
  await chmod(home, 0o711)
  await writeFile(`${home}/config.toml`, storyConfig({ settings }), { mode: 0o600 })
  const errors: string[] = []
  const onLog = (_pid: number, line: LogLine): void => {
    if (Number(line['level']) >= ERROR_LEVEL && errors.length < MAX_FINDINGS)
      errors.push(`log: ${JSON.stringify(line)}`)
  }
  const keepsLog = (line: LogLine): boolean => line.msg === 'factotum is ready'
  await using server = await ServerProcess.start({ home, databaseUrl, onLog, keepsLog })
  const run = new FuzzRun(server, options)
  await run.play()
  return run.report(errors)
}

class FuzzRun {
  readonly #server: ServerProcess
  readonly #options: FuzzOptions
  readonly #fuzzer: Fuzzer
  readonly #agent = new Agent({ connections: AT_ONCE, pipelining: 1 })
  readonly #findings: string[] = []
  readonly #counts = new Map<string, number>()
  readonly #memory: Memory[] = []
  #sent = 0
  #largestBytes = 0
  #slowestMs = 0

  constructor(server: ServerProcess, options: FuzzOptions) {
    this.#server = server
    this.#options = options
    this.#fuzzer = new Fuzzer(buildSchema(), new SeededRandom(options.seed))
  }

  async play(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#sendAll()))
    await this.#agent.close()
  }

  report(errors: readonly string[]): FuzzReport {
    const size = Math.max(1, Math.floor(this.#memory.length / 5))
    const memory = Array.from({ length: 5 }, (_, fifth) =>
      whatStays(this.#memory.slice(fifth * size, (fifth + 1) * size)),
    )
    const findings = [...this.#findings, ...errors]
    if (!this.#server.isRunning) findings.push('the server is not running any more')
    if (this.#largestBytes > MAX_ANSWER_BYTES) findings.push(`an answer had ${this.#largestBytes} bytes`)
    if (this.#options.documents >= ENOUGH_FOR_MEMORY)
      for (const key of ['rssMb', 'heapMb'] as const) {
        // In the first fifth caches still fill: compiled code, prepared statements, documents that were parsed.
        const [before, after] = [memory[1]?.[key] ?? 0, memory[4]?.[key] ?? 0]
        if (after > before * MAX_GROWTH) findings.push(`${key} grew from ${Math.round(before)} to ${Math.round(after)}`)
      }
    const counts = Object.fromEntries([...this.#counts].sort(([a], [b]) => a.localeCompare(b)))
    return { findings, counts, largestBytes: this.#largestBytes, slowestMs: Math.round(this.#slowestMs), memory }
  }

  async #sendAll(): Promise<void> {
    const { documents, onProgress } = this.#options
    const every = Math.max(1, Math.floor(documents / SAMPLES))
    while (this.#sent < documents && this.#findings.length < MAX_FINDINGS && this.#server.isRunning) {
      this.#sent += 1
      const number = this.#sent
      await this.#send(this.#fuzzer.next())
      if (number % every !== 0) continue
      const memory = await this.#look()
      if (number % (every * 10) === 0)
        onProgress(`${number} sent, ${Math.round(memory.rssMb)} MB, heap ${Math.round(memory.heapMb)} MB`)
    }
  }

  async #send({ kind, body }: FuzzedRequest): Promise<void> {
    const startedMs = performance.now()
    try {
      const response = await request(`${this.#server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf('ada')}` },
        body,
        dispatcher: this.#agent,
      })
      const text = await response.body.text()
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedMs)
      this.#largestBytes = Math.max(this.#largestBytes, Buffer.byteLength(text))
      this.#count(kind)
      this.#count(`${response.statusCode} ${codeOf(text)}`)
      if (response.statusCode >= 500 || text.includes('INTERNAL_SERVER_ERROR'))
        this.#findings.push(`${response.statusCode} for ${body.slice(0, 2000)}: ${text.slice(0, 500)}`)
    } catch (error) {
      this.#findings.push(`no answer to ${body.slice(0, 2000)}: ${String(error)}`)
    }
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  async #look(): Promise<Memory> {
    const text = await (await askOperators(this.#server.url, '/metrics')).text()
    const megabytes = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN) / 1024 ** 2
    const memory = {
      rssMb: megabytes('process_resident_memory_bytes'),
      heapMb: megabytes('nodejs_heap_size_used_bytes'),
    }
    this.#memory.push(memory)
    return memory
  }
}

function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? 'OK'
}

/** What stays: garbage comes and goes between two samples, so the heap right after a collection is the lowest seen. */
function whatStays(samples: readonly Memory[]): Memory {
  const sorted = (key: keyof Memory): number[] => samples.map((sample) => sample[key]).sort((a, b) => a - b)
  return { rssMb: sorted('rssMb')[Math.floor(samples.length / 2)] ?? 0, heapMb: sorted('heapMb')[0] ?? 0 }
}
