/** What bubblewrap tells of the namespace that it makes, as JSON lines: its first process, and at the end the exit code. */
import type { Readable } from 'node:stream'

export class NamespaceStatus {
  readonly closed: Promise<void>
  #text = ''
  #initPid: number | null = null
  #onInit: (initPid: number) => void = () => {}

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
    this.closed = new Promise((resolve) => stream.once('close', () => resolve()))
  }

  /** The namespace's first process, seen from here; null until bubblewrap has told. */
  get initPid(): number | null {
    return this.#initPid
  }

  /** What was to run inside has run: bubblewrap says nothing of the end of what never began. */
  get hasExitCode(): boolean {
    return this.#text.includes('"exit-code"')
  }

  /** Calls `listener` with the first process as soon as it is known, for one listener at a time. */
  whenInit(listener: (initPid: number) => void): void {
    if (this.#initPid === null) this.#onInit = listener
    else listener(this.#initPid)
  }

  #read(text: string): void {
    this.#text += text
    const initPid = /"child-pid":\s*(\d+)/.exec(this.#text)?.[1]
    if (initPid === undefined || this.#initPid !== null) return
    this.#initPid = Number(initPid)
    this.#onInit(this.#initPid)
  }
}
