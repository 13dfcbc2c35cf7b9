/** What came in during a test, in order, and a way to wait until enough of it has. */
interface Waiting<T> {
  readonly accept: (all: readonly T[]) => boolean
  readonly resolve: (all: readonly T[]) => void
}

export class Arrivals<T> {
  readonly #all: T[] = []
  #waiting: Waiting<T>[] = []

  get all(): readonly T[] {
    return this.#all
  }

  add(one: T): void {
    this.#all.push(one)
    this.#waiting = this.#waiting.filter(({ accept, resolve }) => {
      if (!accept(this.#all)) return true
      resolve(this.#all)
      return false
    })
  }

  /** Resolves as soon as `accept` holds for what has come. A test that waits in vain ends by its time limit. */
  until(accept: (all: readonly T[]) => boolean): Promise<readonly T[]> {
    if (accept(this.#all)) return Promise.resolve(this.#all)
    return new Promise((resolve) => this.#waiting.push({ accept, resolve }))
  }
}
