/** A plan as the planner proposes it, before it has ids and rows. */
import type { TaskType } from '../status.ts'

export interface ProposedTask {
  readonly type: TaskType
  /**
   * EXEC: the shell command. MSG: everything the messenger needs to write the text (it never sees the conversation).
   * SKILL, TOOL: what it is for.
   */
  readonly detail: string
  /** SKILL: its name. Otherwise null. */
  readonly skill: string | null
  /** TOOL: its name, "<source>__<tool>". Otherwise null or absent. */
  readonly tool?: string | null
  /** SKILL, TOOL: the arguments as JSON text. Otherwise null. */
  readonly args: string | null
  /** EXEC, SKILL, TOOL: what must hold for the result to be good. MSG: null. */
  readonly expect: string | null
}

/**
 * A secret that the planner found in the message. The value lives in the memory of the process that runs the session,
 * nowhere else.
 */
export interface FoundSecret {
  readonly key: string
  readonly value: string
}

/** An open question that the message answers. */
export interface ProposedAnswer {
  readonly questionId: string
  readonly answer: string
  /** What follows for a fact that the question is about; null: that is to be judged. */
  readonly outcome: AnswerOutcome | null
}

/** KEEP: the fact holds as it is. REPLACE: it does not, and `text` does in its place; otherwise null. */
export interface AnswerOutcome {
  readonly verdict: 'KEEP' | 'REPLACE'
  readonly factId: string
  readonly text: string | null
}

export interface ProposedPlan {
  readonly goal: string
  readonly tasks: readonly ProposedTask[]
  readonly secrets: readonly FoundSecret[]
  /** Open questions that the message answers. */
  readonly answers: readonly ProposedAnswer[]
  /** Ids of the known facts that it relies on, each once. */
  readonly factsUsed: readonly string[]
}
