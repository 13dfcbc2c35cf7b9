/** A plan as the planner proposes it, before it has ids and rows. */
import type { TaskType } from './status.ts'

export interface ProposedTask {
  readonly type: TaskType
  /** EXEC: the shell command. MSG: everything the messenger needs to write the text (it never sees the conversation). */
  readonly detail: string
  /** EXEC: what must hold for the result to be good. MSG: null. */
  readonly expect: string | null
}

export interface ProposedPlan {
  readonly goal: string
  readonly tasks: readonly ProposedTask[]
}
