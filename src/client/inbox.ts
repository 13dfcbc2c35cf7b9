/**
 * Between a WebSocket, which pushes, and a loop, which pulls. A loop that does not keep up ends the subscription instead of
 * filling the memory; whoever follows a log then goes on behind the last event that the loop has taken.
 */
import { ClientError } from './client-error.ts'

const MAX_WAITING = 1000

export class Inbox<Item> {
  readonly #waiting: Item[] = []
  readonly #onFull: () => void
  #end: { readonly error: unknown } | null = null
  #wake: () => void = () => {}

  constructor(onFull: () => void) {
    this.#onFull = onFull
  }

  next(item: Item): void {
    if (this.#end !== null) return
    this.#waiting.push(item)
    this.#wake()
    if (this.#waiting.length < MAX_WAITING) return
    this.error(new ClientError('UNREACHABLE', 'More came than was taken.'))
    this.#onFull()
  }

  error(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

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
