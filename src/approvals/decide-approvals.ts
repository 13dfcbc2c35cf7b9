/** `decideApprovals`: several decisions in one call, each with an outcome of its own. Called by the GraphQL door. */
import type { Viewer } from '../core/identity.ts'
import { invalidInput, type Refusal } from '../core/refusal.ts'
import type { ApprovalsContext } from './approvals-context.ts'
import { decideApproval, type ApprovalDecided, type DecisionInput } from './decide-approval.ts'

export const MAX_DECISIONS = 50

/** One outcome for each decision, in their order. */
export interface ApprovalsDecided {
  readonly kind: 'AllDecided'
  readonly outcomes: readonly (ApprovalDecided | Refusal)[]
}

/**
 * In the order of `inputs`; refused as a whole when they are too many. Approvals are taken before denials, whatever
 * their order: a denial gives up the plan, and with it what else was open of it.
 */
export async function decideApprovals(
  context: ApprovalsContext,
  viewer: Viewer,
  inputs: readonly DecisionInput[],
): Promise<ApprovalsDecided | Refusal> {
  if (inputs.length > MAX_DECISIONS)
    return invalidInput(['decisions'], `must be at most ${MAX_DECISIONS} decisions in one call`)
  const outcomes = new Map<DecisionInput, ApprovalDecided | Refusal>()
  for (const input of inputs.toSorted((a, b) => Number(b.approve) - Number(a.approve)))
    outcomes.set(input, await decideApproval(context, viewer, input))
  return { kind: 'AllDecided', outcomes: inputs.flatMap((input) => outcomes.get(input) ?? []) }
}
