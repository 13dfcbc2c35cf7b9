/** A fact that another one may take the place of, as it is now: what the curator saw must still be what it says. */
import type { KnownFact } from '../agents/agent.ts'
import type { FactScope } from '../core/status.ts'
import type { Database } from '../store/database.ts'
import { isByPerson } from '../store/knowledge/vouched-facts.ts'

export interface ReplaceableFact {
  readonly content: string
  readonly version: number
  /** The person who made, changed or restored it last; null: none did. Then the curator may not replace it alone. */
  readonly by: string | null
  /** Then it may not either. */
  readonly pinned: boolean
  readonly scope: FactScope
  readonly scopeOf: string
}

/** Null: it is out of use, or says something else by now. */
export async function replaceableFact(database: Database, { id, content }: KnownFact): Promise<ReplaceableFact | null> {
  const [row] = await database.query<ReplaceableFact>(REPLACEABLE, [id, content])
  return row ?? null
}

const REPLACEABLE = {
  name: 'knowledge.replaceable-fact',
  text: `SELECT f.version, f.content, f.pinned, f.scope, f.scope_of AS "scopeOf", (SELECT v.changed_by FROM fact_versions v WHERE v.fact_id = f.id
      AND ${isByPerson('v')} ORDER BY v.version DESC LIMIT 1) AS by
    FROM facts f WHERE f.id = $1 AND f.content = $2 AND f.invalidated_at IS NULL`,
}
