/** What a person may do about approvals now, asked without doing it: for the buttons of a page. */
import { resolveSender } from '../config/access/resolve-sender.ts'
import type { Viewer } from '../core/identity.ts'
import { accessOf } from '../intake/authorize-session.ts'
import { findApprovals, type OpenApproval } from '../store/turn/approvals.ts'
import type { ApprovalsContext } from './approvals-context.ts'
import { refuseDecision } from './decide-approval.ts'
import { editableAs } from './edited-task.ts'

export interface ApprovalAbilities {
  readonly decide: boolean
  /** `decideApproval` with what is to run instead. */
  readonly edit: boolean
}

/** Of a connector, `user` is for whom it asks, as in decideApproval. An approval that is not there is left out. */
export async function approvalAbilities(
  context: Pick<ApprovalsContext, 'database' | 'config'>,
  { viewer, user }: { readonly viewer: Viewer; readonly user: string | null | undefined },
  approvalIds: readonly string[],
): Promise<Map<string, ApprovalAbilities>> {
  const reach = { access: accessOf(viewer), namespace: viewer.namespace }
  const approvals = await findApprovals(context.database, reach, approvalIds)
  const decider = resolveSender(context.config.current(), viewer, user)
  const decide = (approval: OpenApproval): boolean =>
    !('kind' in decider) && refuseDecision(context, decider, approval) === null
  return new Map(
    approvals.map((approval) => {
      const isDecided = decide(approval)
      return [approval.id, { decide: isDecided, edit: isDecided && editableAs(approval) !== null }]
    }),
  )
}
