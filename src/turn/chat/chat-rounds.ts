/**
 * A conversation as its rows tell it: each answer of the model is a round, of a text, calls, or both. What is due
 * follows from the rows alone, so a turn that is taken over goes on where its process left it.
 */
import type { AssistantRound } from '../../agents/agent.ts'
import { reportOf, type PlanState, type TaskState } from '../task/plan-state.ts'
import type { TurnMessages } from '../turn-messages.ts'

/** What one answer of the model has left in rows; `text` null: it said nothing. */
export interface Round {
  /** From 1. */
  readonly number: number
  readonly text: TaskState | null
  readonly calls: readonly TaskState[]
}

/** In their order; the tasks of none are the server's notices. */
export function roundsOf(plan: PlanState | null): Round[] {
  const rounds = new Map<number, TaskState[]>()
  for (const task of plan?.tasks ?? []) {
    if (task.round !== null) rounds.set(task.round, [...(rounds.get(task.round) ?? []), task])
  }
  return [...rounds].map(([number, tasks]) => ({
    number,
    text: tasks.find(({ type }) => type === 'MSG') ?? null,
    calls: tasks.filter(({ type }) => type !== 'MSG'),
  }))
}

/** Whether the model was through with it: a text that was being written when a process died is written again. */
export function isAnswered({ text, calls }: Round): boolean {
  return calls.length > 0 || text?.status === 'DONE'
}

/** The answer that ends the turn. */
export function isFinal({ text, calls }: Round): boolean {
  return calls.length === 0 && text?.status === 'DONE'
}

/** The calls of one answer are made before the model is shown any failure: no more of them count against it. */
const MAX_FAILED_OF_ANSWER = 5

/** How many calls have failed since the last that did not. */
export function failedInRow(rounds: readonly Round[]): number {
  let failed = 0
  for (const { calls } of rounds.toReversed()) {
    const last = calls.length - 1 - calls.findLastIndex(({ status }) => status !== 'FAILED')
    failed += Math.min(last, MAX_FAILED_OF_ANSWER)
    if (last < calls.length) break
  }
  return failed
}

/** What the model is shown of a round that it was through with. */
export function shownRound({ number, text, calls }: Round, messages: TurnMessages): AssistantRound {
  return {
    text: text?.output ?? '',
    calls: calls.map((task) => ({
      callId: task.callId ?? task.id,
      name: nameOf(task),
      written: JSON.stringify(task.type === 'EXEC' ? { command: task.detail } : (task.args ?? {})),
      // One that was denied has a verdict, too, and was not made.
      rejected: task.reviewVerdict === 'REPLAN' && task.status === 'DONE' ? (task.reviewReason ?? '') : null,
      task: reportOf(task),
    })),
    additions: messages.thatBrokeOff(number).map(({ content }) => content),
  }
}

function nameOf({ type, skill, tool }: TaskState): string {
  if (type === 'EXEC') return 'exec'
  return type === 'SKILL' ? `skills__${skill ?? ''}` : (tool ?? '')
}
