/** The agents as the turn sees them: each is a question with a typed answer, and the record of the calls it took. */
import type { Role } from '../core/identity.ts'
import type { AppError } from '../core/errors.ts'
import type { ModelCallRecord } from '../core/model-call.ts'
import type { ProposedPlan } from '../core/plan.ts'
import type { ReviewVerdict, TaskStatus, TaskType } from '../core/status.ts'

/** Every call that was made is recorded, also those of a question that failed in the end. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly output: T; readonly calls: readonly ModelCallRecord[] }
  | { readonly kind: 'failed'; readonly error: AppError; readonly calls: readonly ModelCallRecord[] }

/** A task that has run, as the planner and the reviewer are told of it. `output` is fenced wherever it enters a prompt. */
export interface TaskReport {
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly expect: string | null
  readonly status: TaskStatus
  readonly exitCode: number | null
  readonly output: string | null
  readonly stderr: string | null
}

export interface PlannerContext {
  readonly callerName: string
  readonly callerRole: Role
  readonly message: string
  /** Earlier trusted messages, oldest first. */
  readonly recentMessages: readonly { readonly user: string | null; readonly role: string; readonly content: string }[]
  /** What the agent said lately, oldest first. */
  readonly recentOutputs: readonly string[]
  readonly maxTasks: number
  readonly replan: ReplanContext | null
}

export interface ReplanContext {
  readonly completed: readonly TaskReport[]
  readonly remaining: readonly { readonly type: TaskType; readonly detail: string }[]
  readonly failed: TaskReport
  readonly reason: string
  /** Earlier attempts of this turn, oldest first: what was tried and why it did not do. */
  readonly history: readonly { readonly goal: string; readonly reason: string }[]
}

/** A plan that was refused, and what was wrong with it: the planner is asked to mend it. */
export interface PlanFeedback {
  readonly plan: ProposedPlan
  readonly problems: readonly string[]
}

export interface ReviewerContext {
  readonly goal: string
  readonly message: string
  readonly task: TaskReport
  readonly truncated: boolean
}

export interface Review {
  readonly verdict: ReviewVerdict
  readonly reason: string | null
}

export interface MessengerContext {
  readonly goal: string
  readonly detail: string
  /** Outputs of the plan's earlier tasks, which `detail` may refer to; fenced. */
  readonly outputs: readonly TaskReport[]
}

export interface Agents {
  /** The "provider:model" that plays this role, for events and `Server.models`. */
  modelOf(role: 'planner' | 'reviewer' | 'messenger'): { readonly provider: string; readonly model: string }
  plan(context: PlannerContext, feedback: readonly PlanFeedback[], signal: AbortSignal): Promise<Answer<ProposedPlan>>
  review(context: ReviewerContext, signal: AbortSignal): Promise<Answer<Review>>
  write(context: MessengerContext, onText: (delta: string) => void, signal: AbortSignal): Promise<Answer<string>>
}
