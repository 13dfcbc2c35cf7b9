/**
 * The answers that the planner found in a message, as they are stored with its plan: each settles its question, and is
 * learned from the person who gave it, beside the facts that the question is about.
 */
import type { PlannerContext } from '../../agents/agent.ts'
import type { ProposedPlan } from '../../core/plan/plan.ts'
import type { NewAnswer } from '../../core/turn-write.ts'
import { learnFromAnswer } from '../../knowledge/learnings/learn-from-answer.ts'
import { newId } from '../../platform/id.ts'
import type { TurnContext } from '../turn-context.ts'

/** Longer ones are cut: what is asked has a short answer. */
const MAX_ANSWER_CHARS = 2000

type AnswerContext = Pick<TurnContext, 'sessionId' | 'turn' | 'database' | 'config' | 'due' | 'clock'>

/** To those that the planner was shown and no others; the first answer to each. */
export async function answerQuestions(
  { sessionId, turn, database, config, due, clock }: AnswerContext,
  planner: Pick<PlannerContext, 'questions' | 'callerRole'>,
  answers: ProposedPlan['answers'],
): Promise<NewAnswer[]> {
  const found: NewAnswer[] = []
  for (const question of planner.questions) {
    const text = answers.find(({ questionId }) => questionId === question.id)?.answer.trim() ?? ''
    if (text === '') continue
    const answer = text.slice(0, MAX_ANSWER_CHARS).toWellFormed()
    const given = { question, answer, userName: turn.userName, sessionId }
    const entered = await learnFromAnswer(database, config.current(), given)
    if (entered?.entry.status === 'PENDING' && !entered.entry.held) due.learned()
    const learning = entered === null ? null : { id: newId('learning'), ...entered }
    const byAdmin = planner.callerRole === 'ADMIN'
    const asked = await database.query<{ id: string }>(ASKED_LEARNINGS, [question.id])
    const learningIds = asked.map(({ id }) => id)
    found.push({ questionId: question.id, answer, byAdmin, learningIds, learning, at: clock.now() })
  }
  return found
}

const ASKED_LEARNINGS = {
  name: 'knowledge.asked-learnings',
  text: `SELECT id FROM learnings WHERE question_id = $1 AND status = 'ASKED'`,
}
