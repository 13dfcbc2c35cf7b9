/**
 * Since when the models that a turn waits for have not answered, as the audit has it: so it survives restarts. Read by
 * unanswered.ts.
 */
import type { AgentRole } from '../../core/model-call.ts'
import type { Database } from '../database.ts'

/**
 * Without whose answer a turn cannot go on. Others are asked anew each time that it does: what the embedder answers
 * meanwhile ends no outage of the planner.
 */
const NEEDED: readonly AgentRole[] = ['planner', 'reviewer', 'messenger', 'assistant']

const SINCE = {
  name: 'turn.outage-since',
  text: `WITH calls AS MATERIALIZED (SELECT at, data->>'status' AS status FROM audit_entries
      WHERE session_id = $1 AND turn_id = $2 AND kind = 'MODEL_CALL' AND at >= $3
        AND data->>'role' = ANY ($4::text[]) AND data->>'status' <> 'CANCELLED')
    SELECT min(at) AS since FROM calls WHERE status <> 'OK'
      AND at > coalesce((SELECT max(at) FROM calls WHERE status = 'OK'), '-infinity')`,
}

interface AskingTurn {
  readonly sessionId: string
  readonly turnId: string
  readonly startedAt: Date
}

/** When the first call was made that failed after the last that was answered; null: none has failed since. */
export async function outageSince(
  database: Pick<Database, 'query'>,
  { sessionId, turnId, startedAt }: AskingTurn,
): Promise<Date | null> {
  const [row] = await database.query<{ since: Date | null }>(SINCE, [sessionId, turnId, startedAt, NEEDED])
  return row?.since ?? null
}
