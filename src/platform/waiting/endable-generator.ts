/**
 * An async generator that can be ended while it waits for its next value. An `async function*` cannot: its `return`
 * waits for the `next` that is under way, so a client that leaves would wait for an event.
 *
 * What must hold: each value goes to one `next`, in order, and overlapping calls are served one after another; every
 * `next` settles once it is ended, from whichever side; an error ends it and is thrown by one `next`; `onEnd` is called
 * once.
 */
export abstract class EndableGenerator<Value> implements AsyncGenerator<Value, void, void> {
  #isEnded = false
  #failure: { readonly error: unknown } | null = null
  #interrupt: () => void = () => undefined
  #last: Promise<unknown> = Promise.resolve()

  /**
   * The next value; null: there is none any more. What it throws ends the generator. Left alone when the generator ends
   * meanwhile.
   */
  protected abstract take(): Promise<Value | null>

  /** Lets go of what the generator holds. Must not throw. */
  protected abstract onEnd(): void

  protected get isEnded(): boolean {
    return this.#isEnded
  }

  next(): Promise<IteratorResult<Value, void>> {
    const result = this.#last.then(() => this.#next())
    this.#last = result.catch(() => undefined)
    return result
  }

  return(): Promise<IteratorResult<Value, void>> {
    this.end()
    this.#failure = null
    return Promise.resolve({ done: true, value: undefined })
  }

  throw(): Promise<IteratorResult<Value, void>> {
    return this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Ends it; with a failure, which the `next` that waits, or the one after, throws. Nothing on repeat. */
  protected end(failure: { readonly error: unknown } | null = null): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#failure = failure
    this.onEnd()
    this.#interrupt()
  }

  async #next(): Promise<IteratorResult<Value, void>> {
    const value = this.#isEnded ? null : await this.#taken()
    if (value !== null && !this.#isEnded) return { done: false, value }
    this.end()
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure.error
    return { done: true, value: undefined }
  }

  /** Null as well when it ends first. */
  #taken(): Promise<Value | null> {
    return new Promise((resolve) => {
      this.#interrupt = () => resolve(null)
      this.take().then(resolve, (error: unknown) => this.end({ error }))
    })
  }
}
