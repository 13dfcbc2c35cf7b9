/**
 * Work that is asked for more often than it need be done: a call while it runs leads to one more run after that,
 * whatever the number of calls. What must hold: never two runs at a time; the promise of a call is that of a run which
 * began after the call.
 */
export class Coalesced {
  readonly #work: () => Promise<void>
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Whether a run is under way or due. */
  get isBusy(): boolean {
    return this.#running !== null || this.#next !== null
  }

  /**
   * Runs the work, at once when none is under way. Settles as that run does; a failed run does not keep the next from
   * beginning.
   */
  run(): Promise<void> {
    if (this.#next !== null) return this.#next
    if (this.#running === null) return this.#begin()
    const begin = (): Promise<void> => {
      this.#next = null
      return this.#begin()
    }
    this.#next = this.#running.then(begin, begin)
    return this.#next
  }

  /** Resolves when no run is under way or due; never rejects. */
  async settled(): Promise<void> {
    while (this.#next !== null || this.#running !== null) {
      await (this.#next ?? this.#running)?.catch(() => undefined)
    }
  }

  #begin(): Promise<void> {
    const run = this.#work()
    this.#running = run
    const ended = (): void => {
      if (this.#running === run) this.#running = null
    }
    run.then(ended, ended)
    return run
  }
}
