/**
 * The facts that open questions are about, as a plan is shown them beside the questions, to say what follows for them
 * from an answer: those in use that its user is shown, and no others. Called for a turn's first plan.
 */
import type { OpenQuestion, QuestionFact } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../store/database.ts'
import { isVouchedFor } from '../store/knowledge/vouched-facts.ts'
import { modeOf } from './learnings/mode-of.ts'
import { reachOfTurn, teachersFor } from './reach-of-turn.ts'

/** Of all questions together. */
const MAX_FACTS = 10

interface Asked {
  readonly sessionId: string
  readonly userName: string
  readonly questions: readonly OpenQuestion[]
}

/** None where what this user answers waits for a person in any case. */
export async function questionFacts(
  database: Database,
  config: Config,
  { questions, ...who }: Asked,
): Promise<QuestionFact[]> {
  if (questions.length === 0 || modeOf(config, 'ANSWER', who.userName) === 'hold') return []
  const reach = await reachOfTurn(database, config, who)
  const ids = questions.map(({ id }) => id)
  return database.query<QuestionFact>(QUESTION_FACTS, [ids, reach, teachersFor(config, who.userName)])
}

const QUESTION_FACTS = {
  name: 'knowledge.question-facts',
  text: `SELECT q.id AS "questionId", f.id, f.content FROM questions q JOIN facts f ON f.id = ANY (q.fact_ids)
    WHERE q.id = ANY ($1::text[]) AND f.invalidated_at IS NULL AND f.scope || ' ' || f.scope_of = ANY ($2::text[])
      AND ${isVouchedFor('$3')}
    ORDER BY q.id, f.id LIMIT ${MAX_FACTS}`,
}
