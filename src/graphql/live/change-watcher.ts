/** One subscription to changes: the ids of what changed and has not been given to it yet. */
import { GraphQLError } from 'graphql'
import { EndableGenerator } from '../../platform/endable-generator.ts'

/** Changed things that a watcher has not taken yet; more are SLOW_CONSUMER. */
export const MAX_PENDING = 1000

export class ChangeWatcher extends EndableGenerator<string> {
  readonly #onEnd: () => void
  readonly #pending = new Set<string>()
  #wake: (() => void) | null = null

  constructor(onEnd: () => void) {
    super()
    this.#onEnd = onEnd
  }

  add(id: string): void {
    if (this.#pending.size <= MAX_PENDING) this.#pending.add(id)
    this.#wake?.()
  }

  protected async take(): Promise<string> {
    while (this.#pending.size === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (this.#pending.size > MAX_PENDING) throw overflown()
    const [id = ''] = this.#pending
    this.#pending.delete(id)
    return id
  }

  protected onEnd(): void {
    this.#onEnd()
  }
}

function overflown(): GraphQLError {
  const message = 'Too much changed before it was read. Load the list and subscribe again.'
  return new GraphQLError(message, { extensions: { code: 'SLOW_CONSUMER' } })
}
