/**
 * What will be due when a turn has answered: whether learnings wait for the curator, messages for the summary, new
 * facts to be compared with the others. Found by the statement that begins the turn (begin-turn.ts), so that its end
 * waits for no question of its own. Each count stops at what it is compared with, so none grows with the history.
 */
import { sql, type Sql } from '../sql.ts'

/** Which of the three are due after a turn. */
export interface KnowledgeDue {
  readonly curation: boolean
  readonly summary: boolean
  readonly consolidation: boolean
}

/** So long after a proposal, or when the process that worked on one died. */
const CONSOLIDATION_PAUSE = sql`interval '10 minutes'`

/** What a summary may be made of, of messages `m`: those of trusted senders, and paraphrases of others. */
export const READABLE = sql`(m.trusted OR m.paraphrase IS NOT NULL) AND m.status NOT IN ('QUEUED', 'CANCELLED')`

/** Facts that are consolidated: none of several scopes become one. */
export const OF_ALL = sql`invalidated_at IS NULL AND scope = 'GLOBAL'`

/**
 * Of the state `c`: there are facts that were not compared with the others yet. By the newest one: to learn that none
 * is newer than the last compared, all facts would be read.
 */
export const CONSOLIDATION_DUE = sql`(c.started_at IS NULL OR c.started_at < now() - ${CONSOLIDATION_PAUSE})
    AND (SELECT id FROM facts WHERE ${OF_ALL} ORDER BY id DESC LIMIT 1) > coalesce(c.last_fact_id, '')`

/**
 * A KnowledgeDue as SQL. `s` is the session's row, `seq` that of the turn's message, which will count among those that
 * are in no summary.
 */
export function dueSql({ seq, threshold }: Readonly<Record<'seq' | 'threshold', Sql>>): Sql {
  return sql`jsonb_build_object(
    'curation', EXISTS (SELECT FROM learnings l WHERE l.session_id = s.id AND l.status = 'PENDING' AND NOT l.held),
    'summary', (SELECT count(*) FROM (SELECT FROM messages m WHERE m.session_id = s.id AND m.seq > s.summary_seq
      AND m.seq < ${seq} AND ${READABLE} LIMIT ${threshold}::int - 1) told) >= ${threshold}::int - 1,
    'consolidation', coalesce((SELECT ${CONSOLIDATION_DUE} FROM consolidation_state c), false))`
}
