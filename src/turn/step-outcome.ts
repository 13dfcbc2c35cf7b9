/** What the steps after a turn's answer have in common: how they end, and how they ask an agent. */
import type { Answer } from '../agents/agent.ts'
import type { AppErrorCode } from '../core/errors.ts'
import type { AgentRole } from '../core/model-call.ts'
import { describeError } from '../core/operator-failure.ts'
import type { PipelineStep } from '../core/status.ts'
import type { TurnContext } from './turn-context.ts'

/** The steps that follow the answer. */
export type KnowledgeStep = Extract<PipelineStep, 'CURATING' | 'SUMMARIZING' | 'CONSOLIDATING'>

/** A step that failed fails no turn: the answer is there. */
export type StepOutcome =
  | { readonly kind: 'Passed' }
  /** Nothing was changed; `reason` is for people, `detail` for the log; `code` when an agent gave no answer. */
  | { readonly kind: 'Failed'; readonly reason: string; readonly detail?: string; readonly code?: AppErrorCode }
  | { readonly kind: 'Stopped' }

const ROLES: Readonly<Record<KnowledgeStep, AgentRole>> = {
  CURATING: 'curator',
  SUMMARIZING: 'summarizer',
  CONSOLIDATING: 'summarizer',
}

/** Tells that the step begins, and asks. */
export async function askAfterwards<T>(
  context: Pick<TurnContext, 'turn' | 'journal' | 'signal' | 'agents'>,
  step: KnowledgeStep,
  ask: () => Promise<Answer<T>>,
): Promise<Extract<Answer<T>, { kind: 'answered' }> | StepOutcome> {
  const { provider, model } = context.agents.modelOf(ROLES[step])
  context.journal.record([{ type: 'PipelineStep', step, detail: `${provider}:${model}` }])
  const answer = await ask()
  context.journal.record([], { modelCalls: answer.calls })
  if (context.signal.aborted) return { kind: 'Stopped' }
  if (answer.kind === 'answered') return answer
  const { error } = answer
  return { kind: 'Failed', reason: describeError(error, context.turn.id), detail: error.message, code: error.code }
}
