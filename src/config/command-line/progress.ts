/**
 * What a command says while something takes longer than a second: a line now and then, the same at a terminal and in a
 * pipe, and no line for what is quick. To standard error, as cli.ts has it: standard output may be a result.
 */
import type { Clock } from '../../platform/clock.ts'

const EVERY_MS = 1000
/** Work of which it is not known how long it takes is named again so much later, as it still goes on. */
const STILL_MS = 30_000

export interface ProgressOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly print: (line: string) => void
}

export class Progress {
  readonly #options: ProgressOptions
  #saidMs: number

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#saidMs = options.clock.monotonicMs()
  }

  /** How far it is; at most once a second, so called as often as there is something new. */
  say(line: string): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#saidMs < EVERY_MS) return
    this.#saidMs = nowMs
    this.#options.print(`… ${line}`)
  }

  /** What goes on, where nothing tells how far it is. */
  async during<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const { clock, print } = this.#options
    let cancel = (): void => undefined
    const sayAfter = (ms: number): void => {
      cancel = clock.after(ms, () => {
        this.#saidMs = clock.monotonicMs()
        print(`… ${what}`)
        sayAfter(STILL_MS)
      })
    }
    sayAfter(EVERY_MS)
    try {
      return await work()
    } finally {
      cancel()
    }
  }
}
