/** Which open questions a message answered, as the planner read it; stored with the plan. */
import type { PlannerContext } from '../../agents/agent.ts'
import type { ProposedPlan } from '../../core/plan/plan.ts'
import type { TurnWrite } from '../../core/turn-write.ts'

/** Longer ones are cut: what is asked has a short answer. */
const MAX_ANSWER_CHARS = 2000

type AnsweredQuestion = NonNullable<TurnWrite['answers']>[number]

/** Those that the planner was shown and no others; the first answer to each. */
export function answeredQuestions(planner: PlannerContext, { answers }: ProposedPlan, at: Date): AnsweredQuestion[] {
  return planner.questions.flatMap(({ id: questionId }) => {
    const text = answers.find((one) => one.questionId === questionId)?.answer.trim() ?? ''
    return text === '' ? [] : [{ questionId, answer: text.slice(0, MAX_ANSWER_CHARS).toWellFormed(), at }]
  })
}
