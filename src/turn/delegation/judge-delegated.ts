/**
 * REVIEWING a child's answer: the reviewer judges it by what is expected. Content: it is the task's output. Otherwise
 * the child is told what is missing and answers again, a few times. The verdict, the next round and the task's end are
 * one commit, so a process that dies before it has only asked a model in vain.
 */
import { MAX_ROUNDS } from '../../core/tool/delegated.ts'
import { newId } from '../../platform/id.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import type { StoredDelegation } from '../../store/turn/turn-history.ts'
import { reportOf, type TaskState } from '../task/plan-state.ts'
import { unanswered } from '../steps/unanswered.ts'
import { stopped, type Ending } from '../turn-context.ts'
import { updateTask } from '../task/update-task.ts'
import type { DelegationContext } from './delegation-context.ts'

/**
 * "waits": the child was told what is missing. A reviewer that gives no answer ends the turn
 * (src/turn/steps/unanswered.ts).
 */
export async function judgeDelegated(
  context: DelegationContext,
  task: TaskState,
  delegation: StoredDelegation,
): Promise<'ended' | 'waits' | Ending> {
  const { provider, model } = context.agents.modelOf('reviewer')
  context.journal.record([{ type: 'PipelineStep', step: 'REVIEWING', detail: `${provider}:${model}` }])
  const { task: goal, expect, answer } = delegation
  const judged = { ...reportOf(task), detail: goal, expect, output: answer, status: 'DONE', tool: null } as const
  const asked = { goal, message: context.messages.text, task: judged, history: [] }
  const reviewed = await context.agents.review(asked, context.signal)
  context.journal.record([], { modelCalls: reviewed.calls })
  if (context.signal.aborted) return stopped(context)
  if (reviewed.kind === 'failed')
    return unanswered(context, reviewed.error, {
      failure: `The review of what task ${task.index + 1} has brought failed.`,
    })
  const { verdict, reason } = reviewed.output
  if (verdict === 'OK') return end(context, task, { status: 'DONE', failure: null, feedback: null })
  const feedback = reason ?? 'It is not what was expected.'
  if (delegation.round < MAX_ROUNDS) return again(context, task, { delegation, feedback })
  const failure = `The result did not do after ${MAX_ROUNDS} rounds. The last review said: ${feedback}`
  return end(context, task, { status: 'FAILED', failure, feedback })
}

function again(
  context: DelegationContext,
  task: TaskState,
  { delegation, feedback }: { readonly delegation: StoredDelegation; readonly feedback: string },
): 'waits' {
  const { id, round } = delegation
  const messageId = newId('message')
  const step = { id, status: 'PENDING', round: round + 1, messageId, feedback, failure: null } as const
  task.delegation = { ...delegation, status: 'PENDING', round: round + 1, messageId, answer: null, answered: false }
  context.journal.record([{ type: 'Delegation', delegationId: id }], {
    delegationSteps: [{ ...step, at: context.clock.now() }],
  })
  return 'waits'
}

function end(
  context: DelegationContext,
  task: TaskState,
  said: { readonly status: 'DONE' | 'FAILED'; readonly failure: string | null; readonly feedback: string | null },
): 'ended' {
  const { delegation } = task
  if (delegation === null) return 'ended'
  const { id, round, messageId, answer } = delegation
  const at = context.clock.now()
  const { status } = said
  const { failure } = redactTexts({ failure: said.failure }, { failure: 'text' } as const, context.secrets.redactor())
  task.delegation = { ...delegation, status, failure }
  const output = answer ?? ''
  updateTask(context, task, {
    patch:
      status === 'DONE'
        ? { status, output, finishedAt: at }
        : { status, output, stderr: failure ?? '', finishedAt: at },
    before: [{ type: 'Delegation', delegationId: id }],
    changes: { delegationSteps: [{ id, round, messageId, ...said, at }] },
  })
  return 'ended'
}
