/** What a step says of a task: it is through and the next one may come, its plan is given up, or the turn ends here. */
import type { TaskState } from './plan-state.ts'
import type { Ending } from '../turn-context.ts'

/** The review gave the plan up. */
export interface ReplanWanted {
  readonly kind: 'ReplanWanted'
  readonly task: TaskState
  readonly reason: string
}

/** The user said more while the plan ran: another one is to take its place. */
export interface BrokenOff {
  readonly kind: 'BrokenOff'
}

/** Passed: the next task may come. */
export type TaskOutcome = { readonly kind: 'Passed' } | ReplanWanted | Ending
