/** The steps of a turn that a collector is told of besides its calls of models. */
import type { PlannerContext } from '../../agents/agent.ts'
import { makePlan, type MakePlanOutcome } from '../steps/make-plan.ts'
import type { PlanState, TaskState } from '../task/plan-state.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import type { TurnContext } from '../turn-context.ts'
import { taskStart } from './delegated-span.ts'

/** `makePlan`, in a span. */
export function planInSpan(
  context: Parameters<typeof makePlan>[0] & Pick<TurnContext, 'tracing'>,
  planner: PlannerContext,
  attempts: readonly PlanState[],
): Promise<MakePlanOutcome> {
  const attributes = {
    'gen_ai.operation.name': 'plan',
    'gen_ai.agent.name': 'factotum',
    'factotum.plan.attempt': attempts.length + 1,
  }
  return context.tracing.inSpan({ of: 'plan', subject: 'factotum', attributes }, async (span) => {
    const made = await makePlan(context, planner, attempts)
    if (made.kind === 'Planned') span.set({ 'factotum.plan.tasks': made.plan.tasks.length })
    if (made.kind === 'Failed') span.fail('NO_PLAN')
    return made
  })
}

/** Runs what has an effect in a span; it fails where the task has not come to its end as DONE. */
export function taskInSpan(
  { tracing }: Pick<TurnContext, 'tracing'>,
  task: TaskState,
  run: () => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  return tracing.inSpan(taskStart(task), async (span) => {
    const outcome = await run()
    span.set({ 'factotum.task.status': task.status })
    if (task.status === 'FAILED' || task.status === 'INTERRUPTED') span.fail(`TASK_${task.status}`)
    return outcome
  })
}
