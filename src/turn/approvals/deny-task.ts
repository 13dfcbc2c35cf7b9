/**
 * A task may not run: it was denied, was not approved in time, or the policy forbids it. It fails with the reason, and
 * its plan is given up as after a review that asks for another: the prompts of the next plan and of its reviews hold
 * the reason.
 */
import type { TaskState } from '../plan-state.ts'
import { updateTask } from '../update-task.ts'
import type { ReplanWanted } from '../task-outcome.ts'
import type { TaskContext } from '../turn-context.ts'
import { withdrawApproval } from './withdraw-approval.ts'

/** `reason`: a whole sentence, for people and for the planner. */
export function denyTask(context: TaskContext, task: TaskState, reason: string): ReplanWanted {
  const overdue = withdrawApproval(context, task, 'EXPIRED')
  updateTask(context, task, {
    patch: {
      status: 'FAILED',
      stderr: reason,
      reviewVerdict: 'REPLAN',
      reviewReason: reason,
      finishedAt: context.clock.now(),
    },
    before: [...overdue.events, { type: 'Review', taskId: task.id, verdict: 'REPLAN', reason, learningId: null }],
    changes: overdue.changes,
  })
  return { kind: 'ReplanWanted', task, reason }
}
