/**
 * Spans and measures by OpenTelemetry's SDK. Nothing of it is registered for the whole process: two apps in one do not
 * see each other, and packages that search for a global tracer find none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  trace,
  type AttributeValue,
  type Context,
  type Histogram,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import { SamplingDecision, type Sampler } from '@opentelemetry/sdk-trace'
import type { ClientTrace } from '../../core/identity.ts'
import { AppError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { SPANS, type MeasureAttributes, type MeasureOf, type SpanAttributes, type SpanOf } from '../spans.ts'
import { writeTraceParent, type TurnPlace } from '../trace-parent.ts'
import type { OpenSpan, SpanStart, TraceHeaders, TraceIds, Tracing } from '../tracing.ts'
import type { ChosenIds } from './chosen-ids.ts'

export interface SdkTracingOptions {
  readonly tracer: Tracer
  readonly ids: ChosenIds
  readonly sampler: Sampler
  readonly histograms: Readonly<Record<MeasureOf, Histogram>>
  /** That of this machine, by which spans end. */
  readonly clock: Clock
  /** Takes secrets out of what is sent. */
  readonly redact: (text: string) => string
  /** Sends what is left, within its time; never rejects. */
  readonly stop: () => Promise<void>
}

const MAX_ATTRIBUTE_CHARS = 256

export class SdkTracing implements Tracing {
  readonly isOn = true
  readonly #options: SdkTracingOptions
  readonly #around = new AsyncLocalStorage<Context>()
  #stopped: Promise<void> | null = null

  constructor(options: SdkTracingOptions) {
    this.#options = options
  }

  inSpan<Of extends SpanOf, Result>(
    start: SpanStart<Of>,
    work: (span: OpenSpan<Of>) => Promise<Result>,
  ): Promise<Result> {
    const context = this.#contextOf(start)
    const span = this.#start(start, context)
    return this.#around.run(trace.setSpan(context, span), () => this.#finish(span, work))
  }

  headers(): TraceHeaders {
    const place = this.#current()
    if (place === undefined) return {}
    const traceparent = writeTraceParent(place, (place.traceFlags & TraceFlags.SAMPLED) !== 0)
    const tracestate = place.traceState?.serialize() ?? ''
    return tracestate === '' ? { traceparent } : { traceparent, tracestate }
  }

  traceFrom(turn: TurnPlace, spanId: string): ClientTrace | null {
    const parent = writeTraceParent({ traceId: turn.traceId, spanId }, this.#isSampled(turn))
    return { parent, state: turn.parent?.state ?? null }
  }

  ids(): TraceIds | null {
    const place = this.#current()
    return place === undefined ? null : { trace_id: place.traceId, span_id: place.spanId }
  }

  measure<Of extends MeasureOf>(of: Of, value: number, attributes: MeasureAttributes<Of>): void {
    this.#options.histograms[of].record(value, this.#clean(attributes))
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#options.stop())
  }

  #current() {
    return trace.getSpanContext(this.#around.getStore() ?? ROOT_CONTEXT)
  }

  #start<Of extends SpanOf>({ of, subject, attributes, turn, task }: SpanStart<Of>, context: Context): Span {
    const { name, kind } = SPANS[of]
    const { tracer, ids, clock } = this.#options
    const begun = turn ?? task
    const title = subject === undefined ? name : `${name} ${this.#text(subject)}`
    const options = {
      kind: SpanKind[kind],
      attributes: this.#clean(attributes),
      ...(begun === undefined ? {} : { startTime: new Date(clock.now().getTime() - Math.max(0, begun.elapsedMs)) }),
    }
    return ids.during(turn?.place ?? task ?? null, () => tracer.startSpan(title, options, context))
  }

  async #finish<Of extends SpanOf, Result>(span: Span, work: (span: OpenSpan<Of>) => Promise<Result>): Promise<Result> {
    let isLeftOpen = false
    const fail = (type: string): void => {
      span.setAttribute('error.type', this.#text(type))
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    const open: OpenSpan<Of> = {
      set: (attributes) => span.setAttributes(this.#clean(attributes)),
      fail,
      leaveOpen: () => (isLeftOpen = true),
    }
    try {
      return await work(open)
    } catch (error) {
      fail(errorTypeOf(error))
      throw error
    } finally {
      if (!isLeftOpen) span.end()
    }
  }

  /** What the span stands under. */
  #contextOf({ turn, under }: Pick<SpanStart<SpanOf>, 'turn' | 'under'>): Context {
    if (turn !== undefined) return turn.place.parent === null ? ROOT_CONTEXT : this.#remote(turn.place.parent)
    if (under !== undefined) {
      return this.#remote({ ...under, isSampled: this.#isSampled(under), state: under.parent?.state ?? null })
    }
    return this.#around.getStore() ?? ROOT_CONTEXT
  }

  /** Decided as it was, or will be, for the turn itself, in whichever process. */
  #isSampled({ traceId, parent }: TurnPlace): boolean {
    const context = parent === null ? ROOT_CONTEXT : this.#remote(parent)
    const { decision } = this.#options.sampler.shouldSample(context, traceId, '', SpanKind.INTERNAL, {}, [])
    return decision === SamplingDecision.RECORD_AND_SAMPLED
  }

  #remote({ traceId, spanId, isSampled, state }: RemotePlace): Context {
    const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE
    // One that holds a secret is not handed on: an entry that is cut would say something else.
    const isClean = state !== null && this.#options.redact(state) === state
    const traceState = isClean ? { traceState: createTraceState(state) } : {}
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true, ...traceState })
  }

  #clean(attributes: SpanAttributes<SpanOf> | MeasureAttributes<MeasureOf>): Record<string, AttributeValue> {
    const cleaned: Record<string, AttributeValue> = {}
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) cleaned[name] = this.#value(value)
    }
    return cleaned
  }

  #value(value: string | number | boolean | readonly string[]): AttributeValue {
    if (typeof value === 'string') return this.#text(value)
    return typeof value === 'object' ? value.map((one) => this.#text(one)) : value
  }

  /** Before it is cut, which could leave a part of a secret that is not recognised. */
  #text(text: string): string {
    return this.#options.redact(text).slice(0, MAX_ATTRIBUTE_CHARS).toWellFormed()
  }
}

interface RemotePlace {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  readonly state: string | null
}

function errorTypeOf(error: unknown): string {
  if (error instanceof AppError) return error.code
  return error instanceof Error ? error.name : '_OTHER'
}
