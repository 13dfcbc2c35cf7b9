/**
 * Says something to the user in the server's own words, without a model: why there is a new plan, why the turn failed.
 * It takes the same way as every answer, as a MSG task that is done, so every client that shows answers shows it.
 */
import { newId } from '../platform/id.ts'
import { auditTask } from './task/audit-task.ts'
import { NOT_BEGUN, type PlanState, type TaskState } from './task/plan-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Of a task that calls nothing. */
const PLAIN = { skill: null, tool: null, args: null, expect: null, round: null, callId: null } as const
const NOTICE_DETAIL = 'Notice of the server to the user.'

/** Whether a task is such a notice, by its row. */
export function isNotice(task: { readonly detail: string }): boolean {
  return task.detail === NOTICE_DETAIL
}

/** A plan that is made to hold a notice, where there is none. */
type NewPlace = Pick<PlanState, 'attempt' | 'goal'>

const FAILURE: NewPlace = { attempt: 1, goal: 'Tell the user what went wrong.' }

/** `place`: the plan that the notice belongs to, or what is made to hold it; null: a plan of its own. */
export function addNotice(
  context: Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'clock'>,
  place: PlanState | NewPlace | null,
  text: string,
): void {
  const plan = place !== null && 'tasks' in place ? place : null
  const at = context.clock.now()
  const taskId = newId('task')
  const planId = plan?.id ?? newId('plan')
  const index = plan?.tasks.length ?? 0
  const task = { id: taskId, index, type: 'MSG', detail: NOTICE_DETAIL, ...PLAIN } as const
  const patch = { status: 'DONE', output: text, startedAt: at, finishedAt: at } as const
  const ended: TaskState = { ...task, ...NOT_BEGUN, status: 'DONE', output: text, startedAt: at }
  const made = {
    id: planId,
    attempt: (place ?? FAILURE).attempt,
    goal: (place ?? FAILURE).goal,
    replanReason: null,
    secretNames: [],
    createdAt: at,
  }
  context.journal.record(
    [
      ...(plan === null ? [{ type: 'PlanCreated', planId } as const] : []),
      { type: 'TextCompleted', taskId, content: text, final: false, attempt: 1, notice: true },
      { type: 'TaskUpdate', taskId, status: 'DONE' },
    ],
    {
      plans: plan === null ? [made] : [],
      tasks: [{ ...task, planId, patch }],
      audit: auditTask(context, ended, { patch }),
      deliveries: [{ id: newId('delivery'), taskId, final: false, createdAt: at }],
    },
  )
  plan?.tasks.push(ended)
}
