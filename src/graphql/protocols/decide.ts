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

/**
 * Decides them one after the other, and returns the last as it was before. Repeated, what was decided in the same way
 * stands; in another way is refused, as is what the caller may not decide.
 */
export async function decideAll(operations: Operations, decisions: readonly Decision[]): Promise<AskedApproval> {
  let last: AskedApproval | null = null
  for (const decision of decisions) {
    const { approval } = await operations.run(READ_APPROVAL, { id: decision.id })
    if (approval === null) throw new Refused(`There is no approval ${decision.id} that you may see.`, NOT_FOUND)
    last = approval
    if (approval.status === (decision.approve ? 'APPROVED' : 'DENIED')) continue
    const { result } = await operations.run(DECIDE_APPROVAL, { input: { ...decision } })
    accepted(result, result.approval)
  }
  if (last === null) throw new Refused('No approval is named.', { code: 'INVALID_INPUT' })
  return last
}

const NOT_FOUND = { code: 'NOT_FOUND' } as const
