/**
 * What the curator judges and needs to know: the session's pending learnings that no person is to decide about, oldest
 * first, of one scope at a time, as what it makes of one must not tell of facts that another one's reader is not
 * shown; the facts that they are alike to, the session's summary, open questions. What it asks and its reasons are read
 * in the session: it is shown no facts that are kept from those who read along there.
 */
import type { CuratorContext, KnownFact } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import { GLOBAL_SCOPE, type Reach, type Scope } from '../core/knowledge/fact-scope.ts'
import type { LearningSource } from '../core/status.ts'
import type { Database } from '../store/database.ts'
import { reachOfCurator } from './reach-of-turn.ts'

/** Learnings that are judged at once; what is left comes next time. */
export const MAX_LEARNINGS = 20
const MAX_QUESTIONS = 20

/** `similar`: the facts that one of the learnings is alike to; `origins`: by whom, and where, each was learned. */
export type PendingCuration = Omit<CuratorContext, 'facts'> & {
  readonly similar: readonly KnownFact[]
  readonly origins: readonly Origin[]
  /** Of all of them. */
  readonly scope: Scope
  /** Of facts that the curator may be shown beside them. */
  readonly reach: Reach
}

interface Origin {
  readonly id: string
  readonly source: LearningSource
  readonly userName: string | null
}

interface Loaded extends Omit<PendingCuration, 'reach' | 'similar'> {
  readonly similar: readonly (KnownFact & { readonly scope: string })[]
}

/** `done`: keys of scopes that are left out. */
export async function loadCuration(
  database: Database,
  config: Config,
  { sessionId, done }: { readonly sessionId: string; readonly done: readonly string[] },
): Promise<PendingCuration> {
  const [row] = await database.query<Loaded>(LOAD_CURATION, [sessionId, done])
  const none = { learnings: [], similar: [], origins: [], questions: [], summary: '', reach: [], scope: GLOBAL_SCOPE }
  if (row === undefined || row.learnings.length === 0) return none
  const reach = await reachOfCurator(database, config, { sessionId, scope: row.scope })
  const shown = row.similar.filter(({ scope }) => reach.includes(scope))
  return { ...row, reach, similar: shown.map(({ id, content }) => ({ id, content })) }
}

const CONTENTS = `coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content) ORDER BY id), '[]')`
const openQuestions = (where: string): string =>
  `(SELECT id, content FROM questions WHERE ${where} AND status = 'OPEN' ORDER BY id DESC LIMIT ${MAX_QUESTIONS})`

const LOAD_CURATION = {
  name: 'knowledge.load-curation',
  text: `WITH waiting AS MATERIALIZED (
      SELECT l.id, content, similar_fact_ids, source, user_name, of.scope, of.scope_of FROM learnings l, LATERAL (
        SELECT coalesce(l.scope, 'SESSION') AS scope, CASE WHEN l.scope IS NULL THEN l.session_id ELSE l.scope_of END AS scope_of) of
      WHERE session_id = $1 AND status = 'PENDING' AND NOT held AND of.scope || ' ' || of.scope_of <> ALL ($2::text[])
      ORDER BY l.id LIMIT ${MAX_LEARNINGS}),
    one AS MATERIALIZED (SELECT scope, scope_of FROM waiting ORDER BY id LIMIT 1),
    pending AS MATERIALIZED (SELECT waiting.* FROM waiting JOIN one USING (scope, scope_of))
    SELECT summary, (SELECT jsonb_build_object('scope', scope, 'scopeOf', scope_of) FROM one) AS scope,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content, 'similarFactIds', to_jsonb(similar_fact_ids))
      ORDER BY id), '[]') FROM pending) AS learnings,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'source', source, 'userName', user_name)), '[]')
      FROM pending) AS origins,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'content', content, 'scope', f.scope || ' ' || f.scope_of)
      ORDER BY id), '[]') FROM facts f WHERE invalidated_at IS NULL
      AND id = ANY (ARRAY(SELECT unnest(similar_fact_ids) FROM pending))) AS similar,
    (SELECT ${CONTENTS} FROM (
      ${openQuestions('session_id = $1')} UNION ALL ${openQuestions("session_id IS NULL AND source <> 'DISPUTE'")}) q) AS questions
    FROM sessions WHERE id = $1`,
}
