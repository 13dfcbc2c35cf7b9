/**
 * The port to OpenTelemetry: work in spans, what is sent along to whom we call, and the metrics of model calls. Without
 * a collector it is `NO_TRACING`, which does nothing: no package is loaded and no context is kept.
 */
import type { ClientTrace } from '../core/identity.ts'
import type { MeasureAttributes, MeasureOf, SpanAttributes, SpanOf } from './spans.ts'
import type { TurnPlace } from './trace-parent.ts'

/** Sent along with a request: `traceparent` and perhaps `tracestate`, or nothing. */
export type TraceHeaders = Readonly<Record<string, string>>

/** Of the span around a line of the log. */
export interface TraceIds {
  readonly trace_id: string
  readonly span_id: string
}

/** A span that is about to begin. */
export interface SpanStart<Of extends SpanOf> {
  readonly of: Of
  /** What stands behind its name: the model, the tool. */
  readonly subject?: string
  readonly attributes: SpanAttributes<Of>
  /** It is the span of this turn, which had begun so long ago. */
  readonly turn?: { readonly place: TurnPlace; readonly elapsedMs: number }
  /** It is the span of a delegated task, which has this id and had begun so long ago. */
  readonly task?: { readonly spanId: string; readonly elapsedMs: number }
  /** The turn under whose span it stands; left out: under the span around it. */
  readonly under?: TurnPlace
}

/** A span whose work goes on. */
export interface OpenSpan<Of extends SpanOf> {
  set(attributes: SpanAttributes<Of>): void
  /** It ends as an error of this type: a code, or the name of a class; never a text. */
  fail(type: string): void
  /** It is not told of here: the turn goes on in another process, or later, and is told of when it ends. */
  leaveOpen(): void
}

export interface Tracing {
  /** Whether there is a collector: for what is only done for it. */
  readonly isOn: boolean
  /** Whatever `work` throws fails the span, and is passed on as it is. Never fails by itself, and never waits. */
  inSpan<Of extends SpanOf, Result>(
    start: SpanStart<Of>,
    work: (span: OpenSpan<Of>) => Promise<Result>,
  ): Promise<Result>
  /** For a request that is made from the span around this call. */
  headers(): TraceHeaders
  /** For a message that is sent from the span `spanId` of this turn, by any process; null: there is no collector. */
  traceFrom(turn: TurnPlace, spanId: string): ClientTrace | null
  /** Null: outside of every span. */
  ids(): TraceIds | null
  measure<Of extends MeasureOf>(of: Of, value: number, attributes: MeasureAttributes<Of>): void
  /** Sends what is left, for at most two seconds. Repeatable; never rejects. */
  stop(): Promise<void>
}

const NO_HEADERS: TraceHeaders = {}
const NO_SPAN = { set: () => {}, fail: () => {}, leaveOpen: () => {} }

/** While there is no collector. */
export const NO_TRACING: Tracing = {
  isOn: false,
  inSpan: (_start, work) => work(NO_SPAN),
  headers: () => NO_HEADERS,
  traceFrom: () => null,
  ids: () => null,
  measure: () => {},
  stop: () => Promise.resolve(),
}
