/**
 * Where a span stands, as W3C Trace Context writes it: what a client sends with a message, and what is sent on to
 * models, tools and webhooks. A turn's own place follows from its id, so every process that runs it, or posts what it
 * has said, finds the same one without asking.
 */
import { createHash } from 'node:crypto'
import type { ClientTrace } from '../core/identity.ts'

/** A span, perhaps of another process. */
export interface SpanPlace {
  readonly traceId: string
  readonly spanId: string
}

/** The span of a turn. */
export interface TurnPlace extends SpanPlace {
  /** What the client sent with the message; null: the trace begins with the turn. */
  readonly parent: (SpanPlace & { readonly isSampled: boolean; readonly state: string | null }) | null
}

/** Of the one version that there is. */
const TRACE_PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const SAMPLED = 1

/** What a request says of the trace that it stands in. `traceparent` counts as left out unless it is one. */
export function readTrace(header: (name: 'traceparent' | 'tracestate') => unknown): ClientTrace | null {
  const parent = header('traceparent')
  if (typeof parent !== 'string' || !TRACE_PARENT.test(parent)) return null
  return { parent, state: readTraceState(header('tracestate')) }
}

/** `key=value`, as the standard has it. */
const TRACE_STATE_ENTRY =
  /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/
const MAX_ENTRIES = 32
/** What everybody must be able to hand on. */
const MAX_STATE_CHARS = 512

/** Null: there is none, or one that is not in the standard's form. What is too long loses its last entries. */
function readTraceState(header: unknown): string | null {
  if (typeof header !== 'string') return null
  const entries = header.split(',').flatMap((entry) => entry.trim() || [])
  if (entries.length > MAX_ENTRIES || !entries.every((entry) => TRACE_STATE_ENTRY.test(entry))) return null
  while (entries.join(',').length > MAX_STATE_CHARS) entries.pop()
  return entries.join(',') || null
}

/** The header for what is called from a span. */
export function writeTraceParent({ traceId, spanId }: SpanPlace, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** `trace`: what came with the message of the turn. */
export function placeOfTurn(turnId: string, trace: ClientTrace | null): TurnPlace {
  const own = createHash('sha256').update(turnId).digest('hex')
  const [, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(trace?.parent ?? '') ?? []
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  const parent = traceId === '' ? null : { traceId, spanId, isSampled, state: trace?.state ?? null }
  return { traceId: parent?.traceId ?? own.slice(0, 32), spanId: own.slice(32, 48), parent }
}

/** The span of a delegated task, under which the turns of its child stand: known to every process, as a turn's is. */
export function spanIdOfTask(taskId: string): string {
  return createHash('sha256').update(taskId).digest('hex').slice(32, 48)
}
