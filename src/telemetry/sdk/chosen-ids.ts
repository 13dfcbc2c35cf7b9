/** Ids of spans: random ones, but for those of turns and of delegated tasks, which follow from theirs. */
import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace'
import type { SpanPlace } from '../trace-parent.ts'

export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #chosen: Partial<SpanPlace> | null = null

  /** The span that `start` begins has these ids. */
  during<Result>(chosen: Partial<SpanPlace> | null, start: () => Result): Result {
    this.#chosen = chosen
    try {
      return start()
    } finally {
      this.#chosen = null
    }
  }

  readonly generateTraceId = (): string => this.#chosen?.traceId ?? this.#random.generateTraceId()
  readonly generateSpanId = (): string => this.#chosen?.spanId ?? this.#random.generateSpanId()
}
