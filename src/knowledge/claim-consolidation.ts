/**
 * The right to consolidate facts, and the batch to do it with. The state's one row is the claim: the process that set
 * `started_at` last may write its result (apply-consolidation.ts), and no other may claim it during a pause, also when
 * that process died. So at most one process consolidates, and a batch that cannot be reduced is not tried with every
 * turn.
 */
import type { Database } from '../store/database.ts'
import { consolidationDueSql, OF_ALL } from '../store/knowledge/knowledge-due.ts'
import type { BatchFact } from './judge-consolidation.ts'
import { sql } from '../store/sql.ts'

export interface ConsolidationBatch {
  /** Names the claim. */
  readonly startedAt: string
  readonly facts: readonly BatchFact[]
  /** The last fact of the batch when more follow it; the next batch goes on there. */
  readonly lastFactId: string | null
}

const MAX_FACTS = 200
const MAX_CHARS = 60_000

/** Null: it is not due any more, or another process does it, or there is nothing to reduce. */
export async function claimConsolidation(database: Database, maxFacts: number): Promise<ConsolidationBatch | null> {
  const rows = await database.query<BatchFact & { startedAt: string }>(CLAIM, [maxFacts])
  const [first] = rows
  if (first === undefined) return null
  const facts = withinBudget(rows.map(({ id, content, version }) => ({ id, content, version })))
  const more = facts.length < rows.length || rows.length === MAX_FACTS
  return { startedAt: first.startedAt, facts, lastFactId: more ? (facts.at(-1)?.id ?? null) : null }
}

function withinBudget(facts: readonly BatchFact[]): BatchFact[] {
  let left = MAX_CHARS
  const end = facts.findIndex(({ content }, index) => {
    left -= content.length
    return left < 0 && index > 1
  })
  return end < 0 ? [...facts] : facts.slice(0, end)
}

/**
 * When fewer than two facts follow the last batch, it begins again with the oldest. Until the result is written the
 * state says that more follow, so a consolidation that failed or died is tried again after the pause.
 */
const CLAIM = {
  name: 'knowledge.claim-consolidation',
  text: `WITH claimed AS (
      UPDATE consolidation_state c SET started_at = clock_timestamp(),
        newest_fact_id = (SELECT id FROM facts WHERE ${OF_ALL} ORDER BY id DESC LIMIT 1),
        last_fact_id = CASE WHEN (SELECT count(*) FROM (
          SELECT FROM facts WHERE ${OF_ALL} AND id > c.last_fact_id LIMIT 2) rest) = 2 THEN c.last_fact_id ELSE '' END
      WHERE ${consolidationDueSql(sql`$1`)} RETURNING started_at, last_fact_id)
    SELECT claimed.started_at::text AS "startedAt", f.id, f.content, f.version FROM claimed CROSS JOIN LATERAL (
      SELECT id, content, version FROM facts WHERE ${OF_ALL} AND id > claimed.last_fact_id
      ORDER BY id LIMIT ${MAX_FACTS}) f`,
}
