/**
 * What the curator judges and needs to know: the session's pending learnings, oldest first, its summary, open
 * questions.
 */
import type { CuratorContext } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'

/** Learnings that are judged at once; what is left comes next time. */
const MAX_LEARNINGS = 20
const MAX_QUESTIONS = 20

export async function loadCuration(database: Database, sessionId: string): Promise<Omit<CuratorContext, 'facts'>> {
  const [row] = await database.query<Omit<CuratorContext, 'facts'>>(LOAD_CURATION, [sessionId])
  return row ?? { learnings: [], questions: [], summary: '' }
}

const CONTENTS = `coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content) ORDER BY id), '[]')`
const openQuestions = (where: string): string =>
  `(SELECT id, content FROM questions WHERE ${where} AND status = 'OPEN' ORDER BY id DESC LIMIT ${MAX_QUESTIONS})`

const LOAD_CURATION = {
  name: 'knowledge.load-curation',
  text: `SELECT summary,
    (SELECT ${CONTENTS} FROM (
      SELECT id, content FROM learnings WHERE session_id = $1 AND status = 'PENDING' ORDER BY id LIMIT ${MAX_LEARNINGS}) l) AS learnings,
    (SELECT ${CONTENTS} FROM (
      ${openQuestions('session_id = $1')} UNION ALL ${openQuestions('session_id IS NULL')}) q) AS questions
    FROM sessions WHERE id = $1`,
}
