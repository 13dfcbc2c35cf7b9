/**
 * MSG: the messenger writes the text, streamed piece by piece; when it is whole, it is DELIVERING: the text stands in the log
 * once and its pieces leave it. A text that was under way when a process died is written again from the start (TaskUpdate
 * RUNNING tells readers to begin anew).
 */
import { newId } from '../platform/id.ts'
import { OutputPieces } from './output-pieces.ts'
import { reportOf, updateTask, type PlanState, type TaskState } from './plan-state.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { stopped, type TurnContext } from './turn-context.ts'
import { unanswered } from './unanswered.ts'

export async function writeMessage(context: TurnContext, plan: PlanState, task: TaskState): Promise<TaskOutcome> {
  const final = task.index === plan.tasks.length - 1
  let written = ''
  const pieces = new OutputPieces({
    clock: context.clock,
    redactor: () => context.secrets.redactor(),
    emit: (_, delta) =>
      context.journal.record([{ type: 'MessageOutput', taskId: task.id, delta, content: null, final }]),
  })
  updateTask(context, task, { patch: { status: 'RUNNING', startedAt: context.clock.now() } })
  let hasPieces = false
  const onText = (delta: string): void => {
    written += delta
    pieces.add('STDOUT', delta)
  }
  const outputs = plan.tasks.slice(0, task.index).map(reportOf)
  const answer = await context.agents
    .write({ goal: plan.goal, detail: task.detail, outputs, ...plan.known }, onText, context.signal)
    .finally(() => (hasPieces = pieces.discard()))
  const drop = hasPieces || context.turn.resumed ? [task.id] : []
  if (context.signal.aborted && context.signal.reason !== 'CANCELLED') return stopped(context)

  const finishedAt = context.clock.now()
  const changes = { modelCalls: answer.calls, dropDeltasOf: drop }
  if (context.signal.aborted) {
    updateTask(context, task, { patch: { status: 'CANCELLED', output: written, finishedAt }, changes })
    return stopped(context)
  }
  if (answer.kind === 'failed') {
    const ending = unanswered(context, answer.error, { failure: 'The messenger could not write the answer.', changes })
    if (ending.kind === 'Failed') {
      const patch = { status: 'FAILED', output: written, stderr: answer.error.message, finishedAt } as const
      updateTask(context, task, { patch, changes })
    }
    return ending
  }
  updateTask(context, task, {
    patch: { status: 'DONE', output: answer.output, final, finishedAt },
    before: [
      { type: 'PipelineStep', step: 'DELIVERING', detail: null },
      { type: 'MessageOutput', taskId: task.id, delta: null, content: answer.output, final },
    ],
    changes: { ...changes, deliveries: [{ id: newId('delivery'), taskId: task.id, final, createdAt: finishedAt }] },
  })
  return { kind: 'Passed' }
}
