/**
 * What to do next about a task, from its row alone. The same rule drives a turn that runs through and one that is
 * continued after its process died, so there is no second way for a takeover to go wrong.
 */
import type { ReviewVerdict, TaskStatus, TaskType } from '../../core/status.ts'

/** What is due for a task. */
export type NextStep =
  | 'run'
  /** It ended and awaits its review. */
  | 'review'
  /** It was under way when its process died: its outcome is unknown. */
  | 'interrupt'
  | 'replan'
  | 'pass'

/** Of columns alone, so any process answers alike. */
export function nextStep(task: {
  readonly type: TaskType
  readonly status: TaskStatus
  readonly reviewVerdict: ReviewVerdict | null
  /** Its row tells what became of it, whichever process died. */
  readonly delegation?: object | null
}): NextStep {
  // An approval that is still open, or was denied, is seen to before the tasks of a plan
  // (src/turn/approvals/pass-approvals.ts).
  if (task.status === 'PENDING' || task.status === 'AWAITING_APPROVAL') return 'run'
  if (task.status === 'SKIPPED' || task.status === 'CANCELLED') return 'pass'
  // Writing a text again repeats no effect; running a command again would.
  if (task.type === 'MSG') return task.status === 'DONE' ? 'pass' : 'run'
  if (task.status === 'RUNNING') return task.delegation == null ? 'interrupt' : 'run'
  if (task.reviewVerdict === null) return 'review'
  return task.reviewVerdict === 'OK' ? 'pass' : 'replan'
}
