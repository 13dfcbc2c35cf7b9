/** What every call of a model passes before it is made (ask.ts). */
import type { AppError } from '../core/errors.ts'
import type { ModelCallRecord } from '../core/model-call.ts'

/**
 * Null: go on; otherwise the question fails with this. `made`: the calls of the same question so far, which are
 * recorded with its answer.
 */
export type CallGate = (made: readonly ModelCallRecord[]) => Promise<AppError | null>

/** For agents of no turn. */
export const OPEN_GATE: CallGate = () => Promise.resolve(null)
