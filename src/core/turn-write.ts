/**
 * What a turn writes, as data: events together with the changes they tell of. `merge` folds writes that are recorded one
 * after another into one, so that a turn costs a handful of commits instead of one per step.
 */
import type { ModelCallRecord } from './model-call.ts'
import type { NewEvent } from './session-event.ts'
import type { FinalTurnStatus, PipelineStep, ReviewVerdict, TaskStatus, TaskType } from './status.ts'

export interface NewPlan {
  readonly id: string
  readonly attempt: number
  readonly goal: string
  readonly replanReason: string | null
  readonly createdAt: Date
}

export interface NewTask {
  readonly id: string
  readonly planId: string
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly expect: string | null
  readonly patch: TaskPatch
}

/** The columns of a task that a turn may change; absent = unchanged. */
export interface TaskPatch {
  readonly status?: TaskStatus
  readonly output?: string
  readonly stderr?: string
  readonly truncated?: boolean
  readonly exitCode?: number
  readonly final?: boolean
  readonly reviewVerdict?: ReviewVerdict
  readonly reviewReason?: string | null
  readonly startedAt?: Date
  readonly finishedAt?: Date
}

export interface TurnWrite {
  readonly events: readonly NewEvent[]
  readonly step?: PipelineStep
  readonly plans?: readonly NewPlan[]
  readonly tasks?: readonly NewTask[]
  readonly taskPatches?: ReadonlyMap<string, TaskPatch>
  readonly modelCalls?: readonly ModelCallRecord[]
  /** Text pieces of these tasks leave the log: their whole text is in it now. */
  readonly dropDeltasOf?: readonly string[]
  /** The turn ends: also settles its message and the session's counters. */
  readonly finish?: { readonly status: FinalTurnStatus; readonly failure: string | null; readonly at: Date }
}

/** `first`, then `second`, as one write. */
export function merge(first: TurnWrite, second: TurnWrite): TurnWrite {
  const tasks = [...(first.tasks ?? []), ...(second.tasks ?? [])]
  const patches = new Map(first.taskPatches)
  for (const [id, patch] of second.taskPatches ?? []) {
    // A row that this same write inserts cannot be updated by it: the patch goes into the insert.
    const inserted = tasks.findIndex((task) => task.id === id)
    const task = tasks[inserted]
    if (task === undefined) patches.set(id, { ...patches.get(id), ...patch })
    else tasks[inserted] = { ...task, patch: { ...task.patch, ...patch } }
  }
  const step = second.step ?? first.step
  const finish = second.finish ?? first.finish
  return {
    events: [...first.events, ...second.events],
    ...(step === undefined ? {} : { step }),
    ...(finish === undefined ? {} : { finish }),
    plans: [...(first.plans ?? []), ...(second.plans ?? [])],
    tasks,
    taskPatches: patches,
    modelCalls: [...(first.modelCalls ?? []), ...(second.modelCalls ?? [])],
    dropDeltasOf: [...(first.dropDeltasOf ?? []), ...(second.dropDeltasOf ?? [])],
  }
}
