/** Ids of spans: random ones, but for the span of a turn, whose ids follow from the turn's. */
import { RandomIdGenerator, type IdGenerator } from '@opentelemetry/sdk-trace'
import type { SpanPlace } from '../trace-parent.ts'

export class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #chosen: SpanPlace | null = null

  /** The span that `start` begins has these ids. */
  during<Result>(chosen: SpanPlace | null, start: () => Result): Result {
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
