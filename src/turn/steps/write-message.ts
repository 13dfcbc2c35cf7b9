/**
 * MSG: the messenger writes the text, streamed piece by piece; when it is whole, it is DELIVERING: the text stands in
 * the log once and its pieces leave it. A text that was under way when a process died is written again from the start
 * (TaskUpdate RUNNING tells readers to begin anew). A messenger that stays silent (core/text/silence-filter.ts)
 * produces no TextCompleted and no delivery.
 */
import type { Answer, MessengerContext, WrittenMessage } from '../../agents/agent.ts'
import { CommandLines } from '../../core/text/command-lines.ts'
import { SilenceFilter, withoutSilence } from '../../core/text/silence-filter.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import { countBeginnings } from '../../store/turn/turn-history.ts'
import { HeldOutput } from '../secrets/held-output.ts'
import { handleWritten, modelCommands, NO_NAMES } from '../hooks/model-commands.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import { notifyAnswer } from '../hooks/notify-answer.ts'
import { notifySaid } from '../hooks/task-hooks.ts'
import { reportOf, type PlanState, type TaskState } from '../task/plan-state.ts'
import { updateTask } from '../task/update-task.ts'
import type { TaskOutcome } from '../task/task-outcome.ts'
import { isTakenAway, stopped, stoppedAfter, type TaskContext, type TurnContext } from '../turn-context.ts'
import { unanswered } from './unanswered.ts'

/** A messenger that gives no text ends the turn (unanswered.ts); what it had written stays in the task. */
export async function writeMessage(
  context: TaskContext &
    HookContext &
    Pick<TurnContext, 'messages' | 'dialogue' | 'signal' | 'agents' | 'config' | 'logger' | 'database' | 'delegated'>,
  plan: PlanState,
  task: TaskState,
): Promise<TaskOutcome> {
  const final = task.index === plan.tasks.length - 1
  const attempt = (await begunBefore(context, task)) + 1
  const silence = new SilenceFilter()
  const lines = new CommandLines(final ? modelCommands(context) : NO_NAMES)
  let written = ''
  const live = new HeldOutput({
    clock: context.clock,
    redactor: () => context.secrets.redactor(),
    unit: 'WORDS',
    emit: (_, delta) => context.journal.record([{ type: 'TextDelta', taskId: task.id, delta }]),
  })
  updateTask(context, task, { patch: { status: 'RUNNING', startedAt: context.clock.now() } })
  let hasPieces = false
  const onText = (delta: string): void => {
    const said = lines.push(silence.push(delta))
    written += said
    live.add('STDOUT', said)
  }
  const answer = await context.agents
    .write(messengerContext(context, plan, task), onText, context.signal)
    .finally(() => (hasPieces = live.discard()))
  const drop = hasPieces || context.turn.resumed ? [task.id] : []
  if (isTakenAway(context)) return stoppedAfter(context, answer)

  const finishedAt = context.clock.now()
  const changes = { modelCalls: answer.calls, dropDeltasOf: drop, factsUsed: usedOf(answer) }
  if (context.signal.aborted) {
    updateTask(context, task, { patch: { status: 'CANCELLED', output: written, finishedAt }, changes })
    return stopped(context)
  }
  if (answer.kind === 'failed') {
    const ending = await unanswered(context, answer.error, {
      failure: 'The messenger could not write the answer.',
      changes,
    })
    if (ending.kind === 'Failed') {
      const patch = { status: 'FAILED', output: written, stderr: ending.failure, finishedAt } as const
      updateTask(context, task, { patch, changes })
    }
    return ending
  }
  const spoken = withoutSilence(answer.output.text)
  const text = spoken !== null && final ? await handleWritten(context, spoken) : spoken
  if (isTakenAway(context)) return stoppedAfter(context, answer)
  say(context, task, { text, final, attempt, changes })
  notifyAnswer(context, { role: 'messenger', text: () => answer.output.text, calls: answer.calls })
  return { kind: 'Passed' }
}

const usedOf = (answer: Answer<WrittenMessage>): readonly string[] =>
  answer.kind === 'answered' ? answer.output.factsUsed : []

/** How often the text was begun by processes that did not finish it. */
export async function begunBefore(
  { sessionId, turn, database }: Pick<TurnContext, 'sessionId' | 'turn' | 'database'>,
  task: TaskState,
): Promise<number> {
  if (!turn.resumed || task.status !== 'RUNNING') return 0
  return countBeginnings(database, { sessionId, taskId: task.id, afterSeq: turn.seq })
}

interface MessageToSay {
  readonly text: string | null
  readonly final: boolean
  readonly attempt: number
  readonly changes: Omit<TurnWrite, 'events' | 'taskPatches'>
}

/** The task is done. `text`: null when there is nothing to say: `suppressed` is set, and no delivery is queued. */
export function say(
  context: TaskContext & HookContext,
  task: TaskState,
  { text, final, attempt, changes }: MessageToSay,
): void {
  const finishedAt = context.clock.now()
  if (text === null) {
    updateTask(context, task, { patch: { status: 'DONE', suppressed: true, final, finishedAt }, changes })
    return
  }
  updateTask(context, task, {
    patch: { status: 'DONE', output: text, final, finishedAt },
    before: [
      { type: 'PipelineStep', step: 'DELIVERING', detail: null },
      { type: 'TextCompleted', taskId: task.id, content: text, final, attempt },
    ],
    changes: { ...changes, deliveries: [{ id: newId('delivery'), taskId: task.id, final, createdAt: finishedAt }] },
  })
  notifySaid(context, task)
}

function messengerContext(
  { turn, messages, dialogue }: Pick<TurnContext, 'turn' | 'messages' | 'dialogue'>,
  plan: PlanState,
  task: TaskState,
): MessengerContext {
  const outputs = plan.tasks.slice(0, task.index).map(reportOf)
  const asked = { caller: turn.userName, messages: messages.all.map(({ content }) => content) }
  const mayBeSilent = !messages.isAddressed
  return { goal: plan.goal, detail: task.detail, dialogue, ...asked, outputs, mayBeSilent, ...plan.known }
}
