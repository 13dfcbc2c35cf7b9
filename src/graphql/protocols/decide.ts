/** Decisions that came by another protocol, with the rights of its caller. */
import type { Operations } from './operations.ts'
import { accepted, Refused } from './refused.ts'
import { DECIDE_APPROVAL, READ_APPROVAL, type AskedApproval } from './turn-documents.ts'

export interface Decision {
  readonly id: string
  readonly approve: boolean
  readonly note?: string | undefined
  readonly editedDetail?: string | undefined
  readonly editedArgs?: unknown
  /** Of a connector: who decides. */
  readonly user?: string | undefined
}

/** A denial that is none of what does not wait any more. */
export interface GivenUp extends Decision {
  readonly approve: false
  readonly isGivenUp: true
}

/**
 * Decides them one after the other, and returns the last as it was before. Repeated, what was decided in the same way
 * stands; in another way is refused, as is what the caller may not decide.
 */
export async function decideAll(
  operations: Operations,
  decisions: readonly (Decision | GivenUp)[],
): Promise<AskedApproval> {
  let last: AskedApproval | null = null
  for (const entry of decisions) {
    const { isGivenUp, ...decision } = { isGivenUp: false, ...entry }
    const { approval } = await operations.run(READ_APPROVAL, { id: decision.id })
    if (approval === null) throw new Refused(`There is no approval ${decision.id} that you may see.`, NOT_FOUND)
    last = approval
    if (approval.status === (decision.approve ? 'APPROVED' : 'DENIED')) continue
    if (isGivenUp && approval.status !== 'PENDING') continue
    const { result } = await operations.run(DECIDE_APPROVAL, { input: decision })
    accepted(result, result.approval)
  }
  if (last === null) throw new Refused('No approval is named.', { code: 'INVALID_INPUT' })
  return last
}

const NOT_FOUND = { code: 'NOT_FOUND' } as const
