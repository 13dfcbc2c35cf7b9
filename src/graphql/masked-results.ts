/**
 * The results of a subscription with their errors masked. Not an `async function*`: such a generator cannot be ended while it
 * waits for the next value, and a client that leaves must not wait for one.
 */
import type { ExecutionResult, GraphQLError } from 'graphql'

export interface MaskedResultsOptions {
  readonly source: AsyncGenerator<ExecutionResult, void, void>
  readonly mask: (result: ExecutionResult) => ExecutionResult
  /** What to throw instead of what the source threw. */
  readonly maskError: (error: unknown) => GraphQLError
  /** Called once, when it is over. */
  readonly onEnd: () => void
}

export class MaskedResults implements AsyncGenerator<ExecutionResult, void, void> {
  readonly #options: MaskedResultsOptions
  #ended = false

  constructor(options: MaskedResultsOptions) {
    this.#options = options
  }

  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    try {
      const result = await this.#options.source.next()
      if (result.done === true) this.#end()
      else return { done: false, value: this.#options.mask(result.value) }
      return result
    } catch (error) {
      this.#end()
      throw this.#options.maskError(error)
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#end()
    return this.#options.source.return()
  }

  async throw(): Promise<IteratorResult<ExecutionResult, void>> {
    return this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #end(): void {
    if (!this.#ended) this.#options.onEnd()
    this.#ended = true
  }
}
