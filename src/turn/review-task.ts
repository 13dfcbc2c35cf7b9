/** REVIEWING: the reviewer judges a command that has ended. Verdict REPLAN gives the plan up. */
import { reportOf, updateTask, type PlanState, type TaskState } from './plan-state.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { stopped, type TurnContext } from './turn-context.ts'

export async function reviewTask(context: TurnContext, plan: PlanState, task: TaskState): Promise<TaskOutcome> {
  const { provider, model } = context.agents.modelOf('reviewer')
  context.journal.record([{ type: 'PipelineStep', step: 'REVIEWING', detail: `${provider}:${model}` }])
  const answer = await context.agents.review(
    {
      goal: plan.goal,
      message: context.turn.content,
      task: reportOf(task),
      truncated: task.truncated,
      history: plan.history,
    },
    context.signal,
  )
  context.journal.record([], { modelCalls: answer.calls })
  if (context.signal.aborted) return stopped(context)
  if (answer.kind === 'failed') {
    return { kind: 'Failed', failure: `The review of task ${task.index + 1} failed. ${answer.error.message}` }
  }
  const { verdict, reason } = answer.output
  updateTask(context, task, {
    patch: { reviewVerdict: verdict, reviewReason: reason },
    before: [{ type: 'Review', taskId: task.id, verdict, reason }],
  })
  return verdict === 'OK' ? { kind: 'Passed' } : { kind: 'ReplanWanted', task, reason: reason ?? '' }
}
