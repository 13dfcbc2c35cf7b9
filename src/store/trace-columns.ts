/** The trace that a message came from, as its row has it. */
import type { ClientTrace } from '../core/identity.ts'

/** In a row that a statement selects them into. */
export interface TraceColumns {
  readonly trace_parent: string | null
  readonly trace_state: string | null
}

/** Null: it came from none. */
export function traceOf({ trace_parent: parent, trace_state: state }: TraceColumns): ClientTrace | null {
  return parent === null ? null : { parent, state }
}
