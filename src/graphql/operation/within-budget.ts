/** One execution and the budget of its answer. */
import type { ExecutionResult } from 'graphql'
import { AnswerBudget } from './answer-budget.ts'

/** The result of an execution, which is given up when its answer gets too large. */
export async function withinBudget(
  maxBytes: number,
  run: (answer: AnswerBudget, signal: AbortSignal) => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const answer = new AnswerBudget(maxBytes)
  try {
    return await run(answer, answer.signal)
  } catch (error) {
    if (!answer.isExceeded) throw error
    return answer.refusal
  }
}
