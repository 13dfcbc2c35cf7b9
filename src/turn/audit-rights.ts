/**
 * The rights of a turn's user are read again before each task. If they differ from those when the plan was made, the
 * audit gets one entry per change, also when another process carries the plan on.
 */
import type { CurrentUser } from '../config/access/current-user.ts'
import { describeSkills } from '../config/describe-change.ts'
import { entryOf } from './task/audit-task.ts'
import type { PlanState } from './task/plan-state.ts'
import type { TurnContext } from './turn-context.ts'

/** `user` null: removed from the configuration. */
export function describeRights(user: CurrentUser | null): string {
  return user === null ? 'none' : `role ${user.role}, skills: ${describeSkills(user.skills)}`
}

/** To be called before a task is executed with the rights of `user`. */
export function auditRights(
  context: Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'clock'>,
  plan: PlanState,
  user: CurrentUser | null,
): void {
  const rights = describeRights(user)
  if (plan.rights !== null && plan.rights !== rights) {
    const detail = `Rights of ${context.turn.userName} when the plan was made: ${plan.rights}. Now: ${rights}.`
    context.journal.record([], { audit: [entryOf(context, { kind: 'CONFIG', change: 'RIGHTS_CHANGED', detail })] })
  }
  plan.rights = rights
}
