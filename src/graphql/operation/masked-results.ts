/** The results of a subscription with their errors masked. */
import type { ExecutionResult, GraphQLError } from 'graphql'
import { EndableGenerator } from '../../platform/waiting/endable-generator.ts'

export interface MaskedResultsOptions {
  readonly source: AsyncGenerator<ExecutionResult, void, void>
  readonly mask: (result: ExecutionResult) => ExecutionResult
  /** What to throw instead of what the source threw. */
  readonly maskError: (error: unknown) => GraphQLError
  /** Called once, when it is over. */
  readonly onEnd: () => void
}

export class MaskedResults extends EndableGenerator<ExecutionResult> {
  readonly #options: MaskedResultsOptions

  constructor(options: MaskedResultsOptions) {
    super()
    this.#options = options
  }

  /** Rejects when the source cannot be ended. */
  override async return(): Promise<IteratorResult<ExecutionResult, void>> {
    const ended = await super.return()
    await this.#options.source.return()
    return ended
  }

  protected async take(): Promise<ExecutionResult | null> {
    try {
      const result = await this.#options.source.next()
      return result.done === true ? null : this.#options.mask(result.value)
    } catch (error) {
      throw this.#options.maskError(error)
    }
  }

  protected onEnd(): void {
    this.#options.onEnd()
  }
}
