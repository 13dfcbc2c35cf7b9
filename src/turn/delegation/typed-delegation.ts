/**
 * `/delegate <task>`, typed as the first line of a message: the turn begins with the call that a model would make, in
 * either mode, and goes on as a conversation that has made it. So rights, approvals, budgets, crashes and what the user
 * is told of a refusal are those of any call.
 */
import { currentUser } from '../../config/access/current-user.ts'
import { splitCommand } from '../../core/text/command-lines.ts'
import { DELEGATE } from '../../tools/delegate-tool.ts'
import { callablesOf, readCall } from '../chat/callables.ts'
import { roundsOf } from '../chat/chat-rounds.ts'
import { addTask, planOf } from '../chat/grow-plan.ts'
import type { HookContext } from '../hooks/hook-data.ts'
import type { PlanState } from '../task/plan-state.ts'
import { whyGone } from '../tools/why-gone.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

const COMMAND = 'delegate'
const EXPECT = 'The task is done as it is asked for, and the answer says what came of it.'

/** Whether the turn is carried on as a conversation; of one that is taken over, its rows say so. */
export function isTyped(turn: Pick<TurnContext['turn'], 'content'>, attempts: readonly PlanState[]): boolean {
  const last = attempts.at(-1)
  return last === undefined ? taskOf(turn) !== null : roundsOf(last).length > 0
}

/** Before the model is asked first. */
export function delegateTyped(
  context: TaskContext & HookContext & Pick<TurnContext, 'skills' | 'tools' | 'delegated'>,
  attempts: PlanState[],
): void {
  const { turn, config, clock, journal, tools } = context
  const task = taskOf(turn)
  const user = currentUser(config.current(), turn.userName)
  if (task === null || user === null) return
  journal.record([{ type: 'PipelineStep', step: 'COMMANDS', detail: `/${COMMAND}` }])
  const args = { task, expect: EXPECT }
  const call = { id: 'typed', name: DELEGATE.name, args, written: JSON.stringify(args) }
  const { problem, ...read } = readCall(callablesOf(context, user), call, (name) => whyGone(tools, name, user))
  const plan = planOf(context, attempts, { summary: turn.saidBefore.summary, facts: [], pluginSections: [] })
  const failed = { status: 'FAILED', stderr: problem ?? '', finishedAt: clock.now() } as const
  addTask(context, plan, { ...read, round: 1, callId: call.id, patch: problem === null ? {} : failed })
}

/** Null: it is an ordinary message. */
function taskOf({ content }: Pick<TurnContext['turn'], 'content'>): string | null {
  const split = splitCommand(content)
  if (split === null || split.command.name !== COMMAND) return null
  const task = `${split.command.args}\n${split.rest}`.trim()
  return task === '' ? null : task
}
