/**
 * What will be due when a turn has answered: whether learnings wait for the curator, messages for the summary, facts
 * for consolidation. Found by the statement that begins the turn (begin-turn.ts), so that its end waits for no question
 * of its own. Each count stops at what it is compared with, so none grows with the history.
 */
import { sql, type Sql } from '../sql.ts'

/** Which of the three are due after a turn. */
export interface KnowledgeDue {
  readonly curation: boolean
  readonly summary: boolean
  readonly consolidation: boolean
}

/** After each consolidation so long pause, also when the process that began it died. */
const CONSOLIDATION_PAUSE = sql`interval '10 minutes'`
/** When nothing new came and nothing more could be reduced. */
const CONSOLIDATION_AGAIN = sql`interval '1 day'`

/** What a summary may be made of, of messages `m`: those of trusted senders, and paraphrases of others. */
export const READABLE = sql`(m.trusted OR m.paraphrase IS NOT NULL) AND m.status NOT IN ('QUEUED', 'CANCELLED')`

/** Facts that are consolidated: none of several scopes become one. */
export const OF_ALL = sql`invalidated_at IS NULL AND scope = 'GLOBAL'`

/**
 * Of the state `c`. With more live facts than `max`: at first, then when more follow the last ones that were looked at,
 * when a tenth of `max` came anew, and after a day.
 */
export function consolidationDueSql(max: Sql): Sql {
  const enough = sql`ceil(${max}::int / 10.0)`
  const fresh = sql`SELECT FROM facts f WHERE ${OF_ALL} AND f.id > c.newest_fact_id LIMIT ${enough}`
  return sql`(SELECT count(*) FROM (SELECT FROM facts WHERE ${OF_ALL} LIMIT ${max}::int + 1) live) > ${max}::int
    AND (c.started_at IS NULL OR (c.started_at < now() - ${CONSOLIDATION_PAUSE} AND (c.last_fact_id IS NOT NULL
      OR c.started_at < now() - ${CONSOLIDATION_AGAIN} OR (SELECT count(*) FROM (${fresh}) fresh) >= ${enough})))`
}

/**
 * A KnowledgeDue as SQL. `s` is the session's row, `seq` that of the turn's message, which will count among those that
 * are in no summary.
 */
export function dueSql({ seq, threshold, max }: Readonly<Record<'seq' | 'threshold' | 'max', Sql>>): Sql {
  return sql`jsonb_build_object(
    'curation', EXISTS (SELECT FROM learnings l WHERE l.session_id = s.id AND l.status = 'PENDING' AND NOT l.held),
    'summary', (SELECT count(*) FROM (SELECT FROM messages m WHERE m.session_id = s.id AND m.seq > s.summary_seq
      AND m.seq < ${seq} AND ${READABLE} LIMIT ${threshold}::int - 1) told) >= ${threshold}::int - 1,
    'consolidation', coalesce((SELECT ${consolidationDueSql(max)} FROM consolidation_state c), false))`
}
