/**
 * Where a span stands, as W3C Trace Context writes it: what a client sends with a message, and what is sent on to
 * models, tools and webhooks. A turn's own place follows from its id, so every process that runs it, or posts what it
 * has said, finds the same one without asking.
 */
import { createHash } from 'node:crypto'

/** A span, perhaps of another process. */
export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
}

/** The span of a turn. */
export interface TurnPlace extends SpanPlace {
  /** What the client sent with the message; null: the trace begins with the turn. */
  readonly parent: (SpanPlace & { readonly isSampled: boolean }) | null
}

/** Of the one version that there is. */
const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

/** A `traceparent` that is one, in 55 characters; null: it is none, and counts as left out. */
export function readTraceParent(header: unknown): string | null {
  return typeof header === 'string' && TRACE_PARENT.test(header) ? header : null
}

/** The header for what is called from a span. */
export function writeTraceParent({ traceId, spanId }: SpanPlace, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** `traceParent`: what came with the message of the turn. */
export function placeOfTurn(turnId: string, traceParent: string | null): TurnPlace {
  const own = createHash('sha256').update(turnId).digest('hex')
  const [, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(traceParent ?? '') ?? []
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  const parent = traceId === '' ? null : { traceId, spanId, isSampled }
  return { traceId: parent?.traceId ?? own.slice(0, 32), spanId: own.slice(32, 48), parent }
}
