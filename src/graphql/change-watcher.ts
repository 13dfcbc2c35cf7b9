/**
 * One subscription to changes: the ids of what changed and has not been given to it yet. Not an `async function*`, which could
 * not be ended while it waits.
 */
import { GraphQLError } from 'graphql'

/** Changed things that a watcher has not taken yet; more are SLOW_CONSUMER. */
export const MAX_PENDING = 1000

export class ChangeWatcher implements AsyncGenerator<string, void, void> {
  readonly #onEnd: () => void
  readonly #pending = new Set<string>()
  #ended = false
  #wake: (() => void) | null = null

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  add(id: string): void {
    if (this.#pending.size <= MAX_PENDING) this.#pending.add(id)
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<string, void>> {
    while (!this.#ended) {
      if (this.#pending.size > MAX_PENDING) {
        await this.return()
        throw overflown()
      }
      for (const id of this.#pending) {
        this.#pending.delete(id)
        return { done: false, value: id }
      }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<string, void>> {
    this.#ended = true
    this.#onEnd()
    this.#wake?.()
    return { done: true, value: undefined }
  }

  async throw(): Promise<IteratorResult<string, void>> {
    return this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function overflown(): GraphQLError {
  const message = 'Too much changed before it was read. Load the list and subscribe again.'
  return new GraphQLError(message, { extensions: { code: 'SLOW_CONSUMER' } })
}
