/** REVIEWING: the reviewer judges a task that has run, and may learn from it. Verdict REPLAN gives the plan up. */
import { keepLearning } from '../knowledge/keep-learning.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { notifyAnswer } from '../hooks/notify-answer.ts'
import { judgedByPlugins } from '../hooks/task-hooks.ts'
import { reportOf, type PlanState, type TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import { stopped, type TaskContext, type TurnContext } from '../turn-context.ts'
import { unanswered } from './unanswered.ts'

type ReviewTaskContext = TaskContext &
  HookContext &
  Pick<TurnContext, 'messages' | 'signal' | 'agents' | 'config' | 'database' | 'due' | 'logger'>

/**
 * A plugin's rejection comes before the reviewer, which then is not asked. A reviewer that gives no answer ends the
 * turn (unanswered.ts); when it goes on, the task is reviewed again.
 */
export async function reviewTask(context: ReviewTaskContext, plan: PlanState, task: TaskState): Promise<TaskOutcome> {
  const rejection = await judgedByPlugins(context, task)
  if (context.signal.aborted) return stopped(context)
  if (rejection !== null) return { kind: 'ReplanWanted', task, reason: rejection }
  const { provider, model } = context.agents.modelOf('reviewer')
  context.journal.record([{ type: 'PipelineStep', step: 'REVIEWING', detail: `${provider}:${model}` }])
  const answer = await context.agents.review(
    {
      goal: plan.goal,
      message: context.messages.text,
      task: reportOf(task),
      history: plan.history,
    },
    context.signal,
  )
  context.journal.record([], { modelCalls: answer.calls })
  if (context.signal.aborted) return stopped(context)
  if (answer.kind === 'failed')
    return await unanswered(context, answer.error, { failure: `The review of task ${task.index + 1} failed.` })
  const { verdict, reason, learn } = answer.output
  notifyAnswer(context, { role: 'reviewer', text: () => JSON.stringify(answer.output), calls: answer.calls })
  const learning = await keepLearning(context, task.id, { source: 'REVIEW', text: learn })
  updateTask(context, task, {
    patch: { reviewVerdict: verdict, reviewReason: reason },
    before: [
      {
        type: 'Review',
        taskId: task.id,
        verdict,
        reason,
        learningId: learning?.entry.status === 'PENDING' ? learning.id : null,
      },
    ],
    changes: learning === null ? {} : { learnings: [learning] },
  })
  return verdict === 'OK' ? { kind: 'Passed' } : { kind: 'ReplanWanted', task, reason: reason ?? '' }
}
