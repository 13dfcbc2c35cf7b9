/**
 * The plan rules (spec 4). Each broken rule is one sentence that names the task by its number, says what is wrong and what
 * would be right: the planner mends its plan by these sentences alone, and the last ones are shown to the user.
 * What must hold: no sentence asks for a shape that another rule refuses, and src/agents/planner/prompt.md says the same.
 */
import type { ProposedPlan, ProposedTask } from './plan.ts'

/** One argument of a process may be 128 KiB on Linux; a command written by a model that comes near a quarter of it is a mistake. */
export const MAX_DETAIL_BYTES = 32 * 1024
export const MAX_EXPECT_BYTES = 4 * 1024
const MAX_GOAL_BYTES = 4 * 1024
/** A plan with a thousand wrong tasks needs no thousand sentences. */
const MAX_PROBLEMS = 20

export interface PlanLimits {
  readonly maxTasks: number
}

/** The rules that `plan` breaks, in the order of its tasks; empty when it may run. */
export function validatePlan(plan: ProposedPlan, limits: PlanLimits): string[] {
  const problems = [
    ...goalProblems(plan.goal),
    ...countProblems(plan.tasks.length, limits.maxTasks),
    ...plan.tasks.flatMap((task, index) => taskProblems(task, index + 1)),
    ...lastTaskProblems(plan.tasks),
  ]
  if (problems.length <= MAX_PROBLEMS) return problems
  return [
    ...problems.slice(0, MAX_PROBLEMS),
    `${problems.length - MAX_PROBLEMS} more problems of the same kinds are not listed.`,
  ]
}

function goalProblems(goal: string): string[] {
  return lengthProblems({ what: 'The goal', text: goal, maxBytes: MAX_GOAL_BYTES, right: 'One sentence is enough.' })
}

function countProblems(count: number, maxTasks: number): string[] {
  if (count === 0)
    return ['The plan has no tasks. It needs at least one; a plan that only answers has a single msg task.']
  if (count <= maxTasks) return []
  return [
    `The plan has ${count} tasks; at most ${maxTasks} are allowed. Join commands that belong together, or do less.`,
  ]
}

function taskProblems(task: ProposedTask, number: number): string[] {
  return task.type === 'EXEC' ? execProblems(task, number) : msgProblems(task, number)
}

function execProblems({ detail, expect }: ProposedTask, number: number): string[] {
  const task = `task ${number} (exec)`
  return [
    ...(detail.trim() === ''
      ? [`Task ${number} (exec) has a blank detail. Its detail is the shell command to run.`]
      : []),
    ...lengthProblems({
      what: `The detail of ${task}`,
      text: detail,
      maxBytes: MAX_DETAIL_BYTES,
      right: 'Split the command, or write a long file in several tasks.',
    }),
    ...(expect === null || expect.trim() === ''
      ? [`Task ${number} (exec) has no expect. Say in a sentence what must hold for its result to be good.`]
      : []),
    ...lengthProblems({
      what: `The expect of ${task}`,
      text: expect ?? '',
      maxBytes: MAX_EXPECT_BYTES,
      right: 'One sentence is enough.',
    }),
  ]
}

function msgProblems({ detail, expect }: ProposedTask, number: number): string[] {
  return [
    ...(detail.trim() === ''
      ? [`Task ${number} (msg) has a blank detail. Its detail says what to tell the user.`]
      : []),
    ...lengthProblems({
      what: `The detail of task ${number} (msg)`,
      text: detail,
      maxBytes: MAX_DETAIL_BYTES,
      right: 'Say what the messenger needs; the outputs of the tasks before it are shown to it anyway.',
    }),
    ...(expect === null
      ? []
      : [`Task ${number} (msg) has an expect. Messages are not reviewed: its expect must be null.`]),
  ]
}

function lastTaskProblems(tasks: readonly ProposedTask[]): string[] {
  const last = tasks.at(-1)
  if (last === undefined || last.type === 'MSG') return []
  return [`Task ${tasks.length}, the last one, is exec. The last task must be msg: it is how the user gets the answer.`]
}

interface Length {
  readonly what: string
  readonly text: string
  readonly maxBytes: number
  readonly right: string
}

function lengthProblems({ what, text, maxBytes, right }: Length): string[] {
  const bytes = Buffer.byteLength(text)
  return bytes <= maxBytes ? [] : [`${what} is ${bytes} bytes long; at most ${maxBytes} are allowed. ${right}`]
}
