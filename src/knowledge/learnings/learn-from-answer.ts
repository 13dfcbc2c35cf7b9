/**
 * What a person's answer to a question says, as it enters the inbox: with the question, which says what it is about.
 */
import type { OpenQuestion } from '../../agents/agent.ts'
import type { Config } from '../../config/config.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { GLOBAL_SCOPE, type Scope } from '../../core/knowledge/fact-scope.ts'
import type { Database } from '../../store/database.ts'
import { enterLearning, type EnteredText } from './enter-learning.ts'
import { modeOf } from './mode-of.ts'
import { scopeTaught } from '../reach-of-turn.ts'

interface GivenAnswer {
  readonly question: OpenQuestion
  readonly answer: string
  /** Who gave it, and where; null: in no session. */
  readonly userName: string
  readonly sessionId: string | null
}

/** It is alike to the facts that the question is about, whatever the words are. Null: it says nothing. */
export async function learnFromAnswer(
  database: Database,
  config: Config,
  { question, answer, userName, sessionId }: GivenAnswer,
): Promise<EnteredText | null> {
  const mode = modeOf(config, 'ANSWER', userName)
  const text = `${question.content} ${answer}`
  const [asked] = await database.query<QuestionSubject>(ASKED, [question.id])
  const taught = sessionId === null ? GLOBAL_SCOPE : await scopeTaught(database, config, { sessionId, userName })
  // What an admin answers to a question about what is one user's stays that user's.
  const scope = currentUser(config, userName)?.role === 'ADMIN' ? (asked?.learned ?? taught) : taught
  const entered = await enterLearning(database, { text, turnId: '', source: 'ANSWER', mode, scope, refusal: null })
  if (entered === null) return null
  const factIds = asked?.factIds ?? []
  const similarFactIds = [...new Set([...factIds, ...entered.entry.similarFactIds])]
  return { ...entered, entry: { ...entered.entry, similarFactIds } }
}

interface QuestionSubject {
  readonly factIds: readonly string[]
  /** The scope of the learning that became the question; null: none did. */
  readonly learned: Scope | null
}

const ASKED = {
  name: 'knowledge.asked-about',
  text: `SELECT fact_ids AS "factIds", (SELECT jsonb_build_object('scope', l.scope, 'scopeOf', l.scope_of) FROM learnings l
      WHERE l.question_id = q.id AND l.scope IS NOT NULL ORDER BY l.id LIMIT 1) AS learned
    FROM questions q WHERE id = $1`,
}
