/**
 * The audit's entries of what becomes of a task: that it ended, and how it was judged. Never what it printed or said.
 */
import type { AuditBody, NewAuditEntry } from '../../core/audit-entry.ts'
import { OPEN_TASK_STATUSES } from '../../core/status.ts'
import type { TaskPatch, TurnWrite } from '../../core/turn-write.ts'
import type { TaskState } from './plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

/** The audit is kept longer than most, and for every task. */
const MAX_DETAIL = 4000

/** `task` as it is with `patch`, which is recorded together with `changes`. */
export function auditTask(
  context: Pick<TurnContext, 'sessionId' | 'turn' | 'clock'>,
  task: TaskState,
  { patch, changes = {} }: { readonly patch: TaskPatch; readonly changes?: Pick<TurnWrite, 'learnings'> | undefined },
): NewAuditEntry[] {
  const entries: NewAuditEntry[] = []
  const { status, finishedAt, reviewVerdict } = patch
  if (status !== undefined && !OPEN_TASK_STATUSES.has(status)) {
    const { id: taskId, type: taskType, startedAt, output } = task
    const detail = task.detail.length > MAX_DETAIL ? `${task.detail.slice(0, MAX_DETAIL).toWellFormed()}…` : task.detail
    const ended = startedAt !== undefined && finishedAt !== undefined
    const durationMs = ended ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null
    const outputLength = output?.length ?? 0
    const suppressed = patch.suppressed === true ? { suppressed: true } : {}
    entries.push(
      entryOf(context, { kind: 'TASK', taskId, taskType, detail, status, durationMs, outputLength, ...suppressed }),
    )
  }
  if (reviewVerdict !== undefined) {
    const hasLearning = (changes.learnings ?? []).length > 0
    entries.push(entryOf(context, { kind: 'REVIEW', taskId: task.id, verdict: reviewVerdict, hasLearning }))
  }
  return entries
}

/** An entry of this turn, at the present time. */
export function entryOf(
  { clock, sessionId, turn }: Pick<TurnContext, 'sessionId' | 'turn' | 'clock'>,
  body: AuditBody,
): NewAuditEntry {
  const { id: turnId, userName: actor, tokenName } = turn
  return { at: clock.now(), sessionId, turnId, actor, tokenName, body }
}
