/** What a turn reads when its session was opened for a delegated task: what it may do there. */
import { delegationOf, MAX_DEPTH, NOT_DELEGATED, type DelegationLimits } from '../../core/tool/delegated.ts'
import type { Database } from '../database.ts'

/** Its delegation is gone, with the session that it came from: it may say something, and no more. */
const ORPHANED: DelegationLimits = { depth: MAX_DEPTH, share: 1, tools: [], strangers: true }

/** No read for a session that is no child. */
export async function readLimits(database: Database, sessionId: string): Promise<DelegationLimits> {
  const id = delegationOf(sessionId)
  if (id === null) return NOT_DELEGATED
  const [row] = await database.query<DelegationLimits>(LIMITS, [id])
  return row ?? ORPHANED
}

const LIMITS = {
  name: 'delegations.limits',
  text: 'SELECT depth, share, tools, strangers FROM delegations WHERE id = $1',
}
