/**
 * Messages to and from a server of tools that is a program in the sandbox: one line of JSON each, over its standard
 * input and output. What is no message is left out; a message that is too long closes the connection, because it
 * cannot be told any more which call it answers.
 */
import { finished } from 'node:stream/promises'
import { deserializeMessage, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { AppError, messageOf } from '../core/errors.ts'
import type { ConfinedProgram } from '../execution/sandbox/confined-programs.ts'
import type { Clock } from '../platform/clock.ts'
import { MAX_MESSAGE_BYTES } from './limits.ts'
import { Pace } from './pace.ts'

/** A server that ends by itself when its input does has so long for it. */
const END_MS = 500
/** More than is ever shown, so that a secret which is shown in part stands there as a whole. */
const MAX_LAST_WORDS = 16 * 1024
const NEWLINE = 10

export class ProgramTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #program: ConfinedProgram
  readonly #clock: Clock
  readonly #pace: Pace
  /** Nothing that is sent is read any more. */
  #isDeaf = false
  #isClosed = false
  #whyClosed: string | null = null
  #lastWords = ''

  constructor(program: ConfinedProgram, clock: Clock) {
    this.#program = program
    this.#clock = clock
    this.#pace = new Pace(clock)
  }

  /** Why the connection ended, as the end of a sentence; null: it has not, or was closed from here. */
  get whyClosed(): string | null {
    return this.#whyClosed
  }

  /** The end of what it printed to its standard error. */
  get lastWords(): string {
    return this.#lastWords
  }

  start(): Promise<void> {
    const { stderr, ended } = this.#program
    stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = `${this.#lastWords}${chunk.toString()}`.slice(-MAX_LAST_WORDS)
    })
    const read = this.#read().catch((error: unknown) => this.#end(`broke off (${messageOf(error)})`))
    // Nothing of it runs then, so its outputs end: what it answered and said last is still on its way.
    void ended.then(async (how) => {
      this.#isDeaf = true
      await Promise.all([read, finished(stderr).catch(() => undefined)])
      this.#end(how)
    })
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || this.#isDeaf)
      return Promise.reject(new AppError('TOOLS_UNREACHABLE', 'The program does not run any more.'))
    const { stdin } = this.#program
    return new Promise((resolve) => {
      // A pipe that is full, or broken: the call ends by its time, or with the program.
      if (stdin.write(serializeMessage(message))) resolve()
      else stdin.once('drain', resolve)
    })
  }

  /** Lets the program end by itself first. Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    const { stdin, ended } = this.#program
    this.#end(null)
    stdin.end()
    const cancel = this.#clock.after(END_MS, () => this.#program.kill())
    await ended
    cancel()
  }

  #end(why: string | null): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#whyClosed = why
    if (why !== null) this.#program.kill()
    this.onclose?.()
  }

  async #read(): Promise<void> {
    let parts: Buffer[] = []
    let bytes = 0
    for await (const chunk of this.#program.stdout as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        parts.push(chunk.subarray(from, at))
        from = at + 1
        await this.#take(Buffer.concat(parts).toString())
        parts = []
        bytes = 0
      }
      parts.push(chunk.subarray(from))
      bytes += chunk.length - from
      if (bytes > MAX_MESSAGE_BYTES) return this.#end('sent a message that is too large')
    }
  }

  async #take(line: string): Promise<void> {
    await this.#pace.take(1)
    if (this.#isClosed) return
    const message = read(line)
    if (message !== null) this.onmessage?.(message)
  }
}

function read(line: string): JSONRPCMessage | null {
  try {
    return deserializeMessage(line)
  } catch {
    return null // programs print all sorts of things where only messages belong
  }
}
