/**
 * The results of a subscription that the hub serves: none come out here. Protocol libraries take it for an ordinary,
 * idle iterator, so their handling of `complete` and closing stays in charge.
 */
import type { ExecutionResult, GraphQLError } from 'graphql'
import { EndableGenerator } from '../../platform/waiting/endable-generator.ts'

export class IdleResults extends EndableGenerator<ExecutionResult> {
  readonly #onEnded: () => void

  /** `onEnded` is called once, when it is over, from whichever side. */
  constructor(onEnded: () => void) {
    super()
    this.#onEnded = onEnded
  }

  /** Ends it with this error. */
  fail(error: GraphQLError): void {
    this.end({ error })
  }

  /** Waited for as long as the subscription runs. */
  protected take(): Promise<null> {
    return new Promise(() => undefined)
  }

  protected onEnd(): void {
    this.#onEnded()
  }
}
