/**
 * What a person's answer to a question says, as it enters the inbox: with the question, which says what it is about.
 */
import type { OpenQuestion } from '../../agents/agent.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../store/database.ts'
import { enterLearning, type EnteredText } from './enter-learning.ts'
import { modeOf } from './mode-of.ts'

interface GivenAnswer {
  readonly question: OpenQuestion
  readonly answer: string
  /** Who gave it. */
  readonly userName: string
}

/** It is alike to the facts that the question is about, whatever the words are. Null: it says nothing. */
export async function learnFromAnswer(
  database: Database,
  config: Config,
  { question, answer, userName }: GivenAnswer,
): Promise<EnteredText | null> {
  const mode = modeOf(config, 'ANSWER', userName)
  const text = `${question.content} ${answer}`
  const entered = await enterLearning(database, { text, turnId: '', source: 'ANSWER', mode, refusal: null })
  if (entered === null) return null
  const [row] = await database.query<{ factIds: string[] }>(FACTS_OF_QUESTION, [question.id])
  const factIds = row?.factIds ?? []
  const similarFactIds = [...new Set([...factIds, ...entered.entry.similarFactIds])]
  return { ...entered, entry: { ...entered.entry, similarFactIds } }
}

const FACTS_OF_QUESTION = {
  name: 'knowledge.facts-of-question',
  text: 'SELECT fact_ids AS "factIds" FROM questions WHERE id = $1',
}
