/**
 * The events of a session's log on their way from the hub to one reader in this process. What waits for the reader is
 * counted, so that the hub waits with the backlog and cuts a reader that does not keep up.
 */
import { GraphQLError, type ExecutionResult } from 'graphql'
import type { Batch } from '../live/batch.ts'
import { textOf, type Bytes } from '../live/bytes.ts'
import type { Hold } from '../live/hub.ts'
import { IdleResults } from '../live/idle-results.ts'
import type { Subscriber } from '../live/subscriber.ts'
import type { LogChannel } from '../operation/caller.ts'

export class LogQueue implements LogChannel, Subscriber {
  readonly lastSeq = null
  #waiting: Bytes[] = []
  #bytes = 0
  #results: IdleResults | null = null
  /** Undefined as long as it is open. */
  #end: { readonly error: Error | null } | undefined
  #changed = Promise.withResolvers<void>()
  #drained: (() => void)[] = []

  get subscriber(): Subscriber {
    return this
  }

  get bufferedBytes(): number {
    return this.#bytes
  }

  carry(hold: Hold): AsyncGenerator<ExecutionResult, void, void> {
    this.#results = new IdleResults(() => hold.close())
    return this.#results
  }

  send({ payloads, bytes }: Batch): void {
    this.#waiting.push(...payloads)
    this.#bytes += bytes
    this.#changed.resolve()
  }

  drained(): Promise<void> {
    if (this.#bytes === 0 || this.#end !== undefined) return Promise.resolve()
    return new Promise((resolve) => void this.#drained.push(resolve))
  }

  cut(): void {
    this.fail(new GraphQLError('The connection was too slow to keep up.', { extensions: { code: 'SLOW_CONSUMER' } }))
  }

  fail(error: GraphQLError): void {
    this.#results?.fail(error)
  }

  /** What waits is still read; then comes the error, or the end. */
  close(error: Error | null): void {
    this.#end ??= { error }
    this.#changed.resolve()
    this.#release()
  }

  /** The next result, as JSON; null at the end. For one reader. */
  async next(): Promise<string | null> {
    for (;;) {
      const payload = this.#waiting.shift()
      if (payload !== undefined) {
        this.#bytes -= payload.length
        if (this.#bytes === 0) this.#release()
        return textOf(payload)
      }
      if (this.#end !== undefined) {
        if (this.#end.error !== null) throw this.#end.error
        return null
      }
      this.#changed = Promise.withResolvers()
      await this.#changed.promise
    }
  }

  #release(): void {
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }
}
