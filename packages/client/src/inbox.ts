/**
 * Between a WebSocket, which pushes, and a loop, which pulls. A loop that does not keep up ends the subscription
 * instead of filling the memory; a follower of a log then goes on behind the last event that the loop has taken.
 */
import { ClientError } from './client-error.ts'

const MAX_WAITING = 1000

/** Holds at most 1000 items, for one loop over `items()`. */
export class Inbox<Item> {
  readonly #waiting: Item[] = []
  readonly #onFull: () => void
  #end: { readonly error: unknown } | null = null
  #wake: () => void = () => {}

  constructor(onFull: () => void) {
    this.#onFull = onFull
  }

  /** How many items wait for the loop. */
  get length(): number {
    return this.#waiting.length
  }

  /** Adds an item; ignored after the end. When 1000 wait, the inbox ends with UNREACHABLE and calls `onFull`. */
  next(item: Item): void {
    if (this.#end !== null) return
    this.#waiting.push(item)
    this.#wake()
    if (this.#waiting.length < MAX_WAITING) return
    this.error(new ClientError('UNREACHABLE', 'More came than was read.'))
    this.#onFull()
  }

  /** Ends the loop with `error` once it has taken what waits. The first end holds: later ones are ignored. */
  error(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /** Ends the loop without an error once it has taken what waits. */
  complete(): void {
    this.error(null)
  }

  /** What came before the end is given before the error is thrown. */
  async *items(): AsyncGenerator<Item, void, void> {
    for (;;) {
      const item = this.#waiting.shift()
      if (item !== undefined) yield item
      else if (this.#end === null) await new Promise<void>((resolve) => (this.#wake = resolve))
      else if (this.#end.error === null) return
      else throw this.#end.error
    }
  }
}
