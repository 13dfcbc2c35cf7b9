/**
 * An approval that is not decided in time counts as denied. A job at its expiry settles it, and a job every minute
 * settles what that one missed; both settle all that is overdue, so their order and repetition do not matter.
 */
import type { NewApproval } from '../core/turn-write.ts'
import { enqueueJobs } from '../jobs/enqueue-jobs.ts'
import type { JobHandlers, PeriodicJob } from '../jobs/job-runner.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { findOverdue, type UnsettledApproval } from '../store/turn/approvals.ts'
import type { Database } from '../store/database.ts'
import { settleApproval } from '../store/turn/settle-approval.ts'
import type { ApprovalsContext } from './approvals-context.ts'
import { notifySettled } from './notify-settled.ts'

const EXPIRE = 'expire-approvals'
const SWEEP = 'sweep-approvals'
const BATCH = 100

/** The key of the job that watches over an approval, and those asked for together with it. */
export function approvalJobKey(approvalId: string): string {
  return `${EXPIRE}:${approvalId}`
}

/** Of the server itself. */
const ACCESS = { all: true, userName: null }

export interface ApprovalExpiryOptions extends Pick<ApprovalsContext, 'feed' | 'doorbell'> {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}

export class ApprovalExpiry {
  readonly handlers: JobHandlers
  readonly periodic: readonly PeriodicJob[] = [{ name: SWEEP, cron: '* * * * *' }]
  readonly #options: ApprovalExpiryOptions

  constructor(options: ApprovalExpiryOptions) {
    this.#options = options
    const settle = (_payload: unknown, signal: AbortSignal): Promise<void> => this.#settleOverdue(signal)
    this.handlers = { [EXPIRE]: settle, [SWEEP]: settle }
  }

  /** Sees to approvals that were asked for just now. Never rejects: what fails here, the sweep finds. */
  async watch(approvals: readonly NewApproval[]): Promise<void> {
    const { database, logger } = this.#options
    const [first] = approvals
    if (first === undefined) return
    try {
      await enqueueJobs(database, [
        { name: EXPIRE, payload: {}, key: approvalJobKey(first.id), runAt: first.expiresAt },
      ])
    } catch (error) {
      logger.warn({ error: reasonOf(error) }, 'no job watches over an approval; the sweep will')
    }
  }

  async #settleOverdue(signal: AbortSignal): Promise<void> {
    const { database } = this.#options
    let overdue: UnsettledApproval[] = []
    do {
      overdue = await findOverdue(database, BATCH)
      for (const approval of overdue) await this.#settle(approval)
    } while (overdue.length === BATCH && !signal.aborted)
  }

  async #settle(approval: UnsettledApproval): Promise<void> {
    const { database, clock } = this.#options
    const { id: approvalId, taskId } = approval
    const none = { note: null, scope: null, remembered: null, edit: null, decidedBy: null, tokenName: null }
    const status = 'EXPIRED'
    const audit = { approvalId, taskId, status, scope: null, note: null, before: null, after: null } as const
    const settled = await settleApproval(database, ACCESS, { approvalId, status, at: clock.now(), ...none, audit })
    if (settled !== null) notifySettled(this.#options, approval, settled)
  }
}
