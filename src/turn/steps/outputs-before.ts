/**
 * What a program may read of the tasks before it in its plan; without secrets, as everything that is written anywhere.
 */
import { toPlanOutput, type PlanOutputs } from '../../execution/output/plan-outputs.ts'
import type { PlanState, TaskState } from '../plan-state.ts'
import { isNotice } from '../tell-user.ts'
import type { TurnContext } from '../turn-context.ts'

const ENDED = new Set<TaskState['status']>(['DONE', 'FAILED', 'INTERRUPTED'])

/** In the order of the plan, without notices and without what has not ended. */
export function outputsBefore(context: Pick<TurnContext, 'secrets'>, plan: PlanState, task: TaskState): PlanOutputs {
  const before = plan.tasks.filter((other) => other.index < task.index && ENDED.has(other.status) && !isNotice(other))
  const redactor = context.secrets.redactor()
  const entries = before.map((other) =>
    toPlanOutput({ ...other, output: other.output === null ? null : redactor.redact(other.output) }),
  )
  return { entries, isFirstOfTurn: plan.attempt === 1 && !before.some(({ type }) => type !== 'MSG') }
}
