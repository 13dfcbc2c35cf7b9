/**
 * What changes and no notification tells of, for subscriptions: read again every two seconds, given out when it differs
 * from what was given out before. It reads only while a client waits for the next value, so a slow one costs no
 * statement.
 */
import type { Clock } from '../../platform/clock.ts'
import { EndableGenerator } from '../../platform/waiting/endable-generator.ts'

const POLL_MS = 2000

export interface PolledChanges<Value> {
  readonly read: () => Promise<Value>
  /** Two values with the same are the same. */
  readonly keyOf: (value: Value) => string
  readonly clock: Clock
}

/** The value as it is now comes first. What `read` throws ends it. */
export class PollChanges<Value> extends EndableGenerator<Value> {
  readonly #options: PolledChanges<Value>
  readonly #ending = new AbortController()
  #last: string | null = null

  constructor(options: PolledChanges<Value>) {
    super()
    this.#options = options
  }

  protected async take(): Promise<Value | null> {
    const { read, keyOf, clock } = this.#options
    while (!this.isEnded) {
      const value = await read()
      const key = keyOf(value)
      if (key !== this.#last) {
        this.#last = key
        return value
      }
      await clock.sleep(POLL_MS, this.#ending.signal)
    }
    return null
  }

  protected onEnd(): void {
    this.#ending.abort()
  }
}
