/**
 * The answers that the planner found in a message, as they are stored with its plan: each settles its question, and is
 * learned from the person who gave it, beside the facts that the question is about. Where the plan says what follows
 * for these, and the rules let it (judge-answer.ts), that is settled with it.
 */
import type { OpenQuestion, PlannerContext } from '../../agents/agent.ts'
import type { AnswerOutcome, ProposedPlan } from '../../core/plan/plan.ts'
import type { Curation, NewAnswer } from '../../core/turn-write.ts'
import { judgeAnswer } from '../../knowledge/judge-answer.ts'
import { learnFromAnswer } from '../../knowledge/learnings/learn-from-answer.ts'
import { newId } from '../../platform/id.ts'
import type { TurnContext } from '../turn-context.ts'

/** Longer ones are cut: what is asked has a short answer. */
const MAX_ANSWER_CHARS = 2000

type AnswerContext = Pick<TurnContext, 'sessionId' | 'turn' | 'messages' | 'database' | 'config' | 'due' | 'clock'>
type Planner = Pick<PlannerContext, 'questions' | 'questionFacts' | 'callerRole'>

/** What is stored with a plan that answers questions. */
export interface AnsweredQuestions {
  readonly answers: readonly NewAnswer[]
  /** Of what is learned from them. */
  readonly curations: readonly Curation[]
}

/** To those that the planner was shown and no others; the first answer to each, and the first outcome for a fact. */
export async function answerQuestions(
  context: AnswerContext,
  planner: Planner,
  proposed: ProposedPlan['answers'],
): Promise<AnsweredQuestions> {
  const answers: NewAnswer[] = []
  const curations: Curation[] = []
  const decided = new Set<string>()
  for (const question of planner.questions) {
    const given = proposed.find(({ questionId }) => questionId === question.id)
    const text = given?.answer.trim() ?? ''
    if (given === undefined || text === '') continue
    const answer = await answerOf(context, planner, { question, text: text.slice(0, MAX_ANSWER_CHARS).toWellFormed() })
    answers.push(answer)
    const { outcome } = given
    if (outcome === null || decided.has(outcome.factId)) continue
    decided.add(outcome.factId)
    const curation = await curationOf(context, planner, { question, answer, outcome })
    if (curation !== null) curations.push(curation)
  }
  return { answers, curations }
}

async function answerOf(
  { sessionId, turn, database, config, due, clock }: AnswerContext,
  { callerRole }: Planner,
  { question, text: answer }: { readonly question: OpenQuestion; readonly text: string },
): Promise<NewAnswer> {
  const given = { question, answer, userName: turn.userName, sessionId }
  const entered = await learnFromAnswer(database, config.current(), given)
  if (entered?.entry.status === 'PENDING' && !entered.entry.held) due.learned()
  const learning = entered === null ? null : { id: newId('learning'), ...entered }
  const asked = await database.query<{ id: string }>(ASKED_LEARNINGS, [question.id])
  const stored = { questionId: question.id, answer, learning, learningIds: asked.map(({ id }) => id) }
  return { ...stored, byAdmin: callerRole === 'ADMIN', changeId: newId('change'), at: clock.now() }
}

interface Settling {
  readonly question: OpenQuestion
  readonly answer: NewAnswer
  readonly outcome: AnswerOutcome
}

/** Null: the answer waits to be judged. */
async function curationOf(
  { turn, messages, database, config }: AnswerContext,
  { questionFacts }: Planner,
  { question, answer: { answer, learning, changeId, at }, outcome }: Settling,
): Promise<Curation | null> {
  const fact = questionFacts.find(({ id, questionId }) => id === outcome.factId && questionId === question.id)
  if (fact === undefined || learning === null) return null
  const said = { question: question.content, answer, written: messages.text, userName: turn.userName }
  return judgeAnswer(database, config.current(), { ...said, outcome, fact, learning, changeId, at })
}

const ASKED_LEARNINGS = {
  name: 'knowledge.asked-learnings',
  text: `SELECT id FROM learnings WHERE question_id = $1 AND status = 'ASKED'`,
}
