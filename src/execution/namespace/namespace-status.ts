/** What bubblewrap tells of the namespace that it makes, as JSON lines: its first process, before all. */
import type { Readable } from 'node:stream'
import { killProcess, readProcess } from '../process/process-tree.ts'

/** For one bubblewrap, from its start. `closed` resolves when it has ended, and does not reject. */
export class NamespaceStatus {
  readonly closed: Promise<void>
  /** bubblewrap's own process, outside. */
  readonly #pid: number
  #text = ''
  #initPid: number | null = null
  #isKilled = false
  #isClosed = false

  constructor(pid: number, stream: Readable) {
    this.#pid = pid
    stream.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
    this.closed = new Promise((resolve) =>
      stream.once('close', () => {
        this.#isClosed = true
        resolve()
      }),
    )
  }

  /** The namespace's first process, seen from here; null until bubblewrap has reported it. */
  get initPid(): number | null {
    return this.#initPid
  }

  /** It only ends from now on. */
  get isKilled(): boolean {
    return this.#isKilled
  }

  /** bubblewrap has ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * The first process takes everything in the namespace along; bubblewrap sees its end and ends too, which then proves
   * that nothing is left. Until bubblewrap has reported its number, this waits: to kill bubblewrap now could leave a
   * half made namespace.
   */
  kill(): void {
    this.#isKilled = true
    if (this.#initPid !== null && readProcess(this.#initPid)?.parentPid === this.#pid) killProcess(this.#initPid)
  }

  #read(text: string): void {
    this.#text += text
    const initPid = /"child-pid":\s*(\d+)/.exec(this.#text)?.[1]
    if (initPid === undefined || this.#initPid !== null) return
    this.#initPid = Number(initPid)
    if (this.#isKilled) this.kill()
  }
}
