/**
 * What the curator judges and needs to know: the session's pending learnings that no person is to decide about, oldest
 * first, the facts that they are alike to, the session's summary, open questions.
 */
import type { CuratorContext, KnownFact } from '../agents/agent.ts'
import type { LearningSource } from '../core/status.ts'
import type { Database } from '../store/database.ts'

/** Learnings that are judged at once; what is left comes next time. */
const MAX_LEARNINGS = 20
const MAX_QUESTIONS = 20

/** `similar`: the facts that one of the learnings is alike to; `origins`: by whom, and where, each was learned. */
export type PendingCuration = Omit<CuratorContext, 'facts'> & {
  readonly similar: readonly KnownFact[]
  readonly origins: readonly Origin[]
}

interface Origin {
  readonly id: string
  readonly source: LearningSource
  readonly userName: string | null
}

export async function loadCuration(database: Database, sessionId: string): Promise<PendingCuration> {
  const [row] = await database.query<PendingCuration>(LOAD_CURATION, [sessionId])
  return row ?? { learnings: [], similar: [], origins: [], questions: [], summary: '' }
}

const CONTENTS = `coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content) ORDER BY id), '[]')`
const openQuestions = (where: string): string =>
  `(SELECT id, content FROM questions WHERE ${where} AND status = 'OPEN' ORDER BY id DESC LIMIT ${MAX_QUESTIONS})`

const LOAD_CURATION = {
  name: 'knowledge.load-curation',
  text: `WITH pending AS MATERIALIZED (
      SELECT id, content, similar_fact_ids, source, user_name FROM learnings
      WHERE session_id = $1 AND status = 'PENDING' AND NOT held ORDER BY id LIMIT ${MAX_LEARNINGS})
    SELECT summary,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content, 'similarFactIds', to_jsonb(similar_fact_ids))
      ORDER BY id), '[]') FROM pending) AS learnings,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'source', source, 'userName', user_name)), '[]')
      FROM pending) AS origins,
    (SELECT ${CONTENTS} FROM facts WHERE invalidated_at IS NULL
      AND id = ANY (ARRAY(SELECT unnest(similar_fact_ids) FROM pending))) AS similar,
    (SELECT ${CONTENTS} FROM (
      ${openQuestions('session_id = $1')} UNION ALL ${openQuestions('session_id IS NULL')}) q) AS questions
    FROM sessions WHERE id = $1`,
}
