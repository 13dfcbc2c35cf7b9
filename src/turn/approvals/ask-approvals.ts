/** Asks for approvals, and lets the turn wait for them: rows, events and the pause are one commit. */
import type { ApprovalKind } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import { callFingerprint } from '../../tools/fingerprint.ts'
import { entryOf } from '../task/audit-task.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import type { Ending, TaskContext, TurnContext } from '../turn-context.ts'

/** An approval that the policy wants before its task, or its plan, may run. */
export interface WantedApproval {
  /** With PLAN: its first task with an effect. */
  readonly task: TaskState
  readonly kind: ApprovalKind
  /** For people. */
  readonly reason: string
}

/**
 * Asks for them and ends the turn here, as paused. The tasks wait until one of them is settled, which is when the turn
 * is claimed again.
 */
export function askApprovals(
  context: TaskContext & Pick<TurnContext, 'config' | 'tools'>,
  plan: PlanState,
  wanted: readonly WantedApproval[],
): Ending {
  const createdAt = context.clock.now()
  const expiresAt = new Date(createdAt.getTime() + context.config.current().settings.approvalTimeoutMs)
  for (const { task, kind, reason } of wanted) {
    const id = newId('approval')
    const { id: taskId } = task
    const fingerprint = kind === 'PLAN' ? null : fingerprintOf(context, task)
    task.approval = { id, kind, status: 'PENDING', decidedBy: null, note: null, expiresAt, fingerprint }
    const body = {
      approvalId: id,
      taskId,
      status: 'PENDING',
      scope: null,
      note: null,
      before: null,
      after: null,
    } as const
    updateTask(context, task, {
      patch: { status: 'AWAITING_APPROVAL' },
      before: [{ type: 'Approval', approvalId: id }],
      changes: {
        approvals: [{ id, taskId, kind, fingerprint, reason, createdAt, expiresAt }],
        audit: [entryOf(context, { kind: 'APPROVAL', ...body })],
      },
    })
  }
  return waitForApprovals(context, plan)
}

/** Of the call of a tool as it is offered in this turn; null: it is none, or the tool is not there. */
export function fingerprintOf({ tools }: Pick<TurnContext, 'tools'>, { tool, args }: TaskState): string | null {
  const offer = tools.tools.get(tool ?? '')
  return offer === undefined ? null : callFingerprint(offer, args)
}

/** The job that ends what is overdue comes first; this is for when it does not. */
const GRACE_MS = 60_000

/**
 * The turn waits for what is open of its plan: without a worker, until all is approved, one is not, or the time is
 * over.
 */
export function waitForApprovals(context: Pick<TurnContext, 'journal' | 'clock'>, plan: PlanState): Ending {
  const open = plan.tasks.filter(({ approval }) => approval?.status === 'PENDING')
  const expiry = Math.min(...open.map(({ approval }) => approval?.expiresAt.getTime() ?? Infinity))
  const what = open.some(({ approval }) => approval?.kind === 'PLAN')
    ? 'its plan'
    : `task ${open.map(({ index }) => index + 1).join(', ')}`
  const reason = `It waits until a person approves ${what}.`
  const until = new Date(expiry)
  context.journal.record([{ type: 'TurnPaused', reason, until: until.toISOString() }], {
    pause: { reason, at: context.clock.now(), until: new Date(expiry + GRACE_MS), forApproval: true },
  })
  return { kind: 'Paused' }
}
