/** A plan in execution: its rows as this process knows them. They change through `update-task.ts` alone. */
import type { TaskReport } from '../../agents/agent.ts'
import type { NewTask } from '../../core/turn-write.ts'
import { outputFilesOf } from '../../execution/output/plan-outputs.ts'
import type { StoredKnown, StoredPlan, StoredTask } from '../../store/turn/turn-history.ts'

/** Of one attempt of the turn; the last one is being executed. */
export interface PlanState {
  readonly id: string
  readonly attempt: number
  readonly goal: string
  /** Of the turn's user, as last seen: when the plan was made, or at a task since. Null: not known. */
  rights: string | null
  readonly tasks: TaskState[]
  /** What the planner knew from before when it made the plan: the messenger's prompts hold the same. */
  readonly known: StoredKnown
  /** Those of the turn before it, oldest first, which were given up. */
  readonly before: readonly PlanState[]
  /** The same, as prompts show it. */
  readonly history: readonly TriedPlan[]
}

/** A plan that was given up, and why. */
export interface TriedPlan {
  readonly goal: string
  readonly reason: string
}

/** The row of a task, as it will be once what was recorded is committed. */
export type TaskState = { -readonly [Key in keyof StoredTask]: StoredTask[Key] } & {
  /** When it began, if that was in this process. */
  startedAt?: Date
}

/** What a task's row has of what comes of it, before it has begun. */
export const NOT_BEGUN = {
  status: 'PENDING',
  output: null,
  stderr: null,
  truncated: false,
  exitCode: null,
  reviewVerdict: null,
  reviewReason: null,
  approval: null,
  delegation: null,
} as const

/** `before`: the plans of the turn before it. */
export function planStateOf(plan: StoredPlan, known: StoredKnown, before: readonly PlanState[]): PlanState {
  const { id, attempt, goal, rights } = plan
  const tasks = plan.tasks.map((task) => ({ ...task }))
  return { id, attempt, goal, rights, tasks, known, before: [...before], history: historyOf(before) }
}

/** `attempts`, all given up, as prompts show them. */
export function historyOf(attempts: readonly PlanState[]): TriedPlan[] {
  return attempts.map((plan) => ({ goal: plan.goal, reason: whyGivenUp(plan) }))
}

/**
 * The task for which the plan was given up; null when the user said more while it ran, and a new plan took its place.
 */
export function failedTask(plan: PlanState): TaskState | null {
  return plan.tasks.find((task) => task.reviewVerdict === 'REPLAN') ?? null
}

/**
 * Whether the plan itself did not do. One of which a task was interrupted because a process died may be right: it
 * counts for nothing, and may be tried again. A tool that gave no answer is no such task, or it would be called for
 * ever; it has no output, and what was cut off has one, if an empty one.
 */
export function hasFailed(plan: PlanState): boolean {
  const task = failedTask(plan)
  if (task === null) return false
  const isSilentTool = task.type === 'TOOL' && task.output === null
  return task.status !== 'INTERRUPTED' || isSilentTool
}

/** For people and agents; empty where the review gave no reason. */
export function whyGivenUp(plan: PlanState): string {
  const failed = failedTask(plan)
  return failed === null ? 'The caller said more while it ran.' : (failed.reviewReason ?? '')
}

/** The task as a row of its plan, as it is when it has not begun. */
export function newTaskOf(task: TaskState, planId: string): NewTask {
  const { id, index, type, detail, skill, tool, args, expect, round, callId } = task
  return { id, planId, index, type, detail, skill, tool, args, expect, round, callId, patch: {} }
}

/** The task as prompts show it. */
export function reportOf(task: TaskState): TaskReport {
  const { index, type, detail, skill, tool, args, expect, status, exitCode, output, stderr, truncated } = task
  const files = outputFilesOf(task)
  const printed = { output, outputFile: files.output, stderr, stderrFile: files.stderr, truncated }
  return { index, type, detail, skill, tool, args, expect, status, exitCode, ...printed }
}
