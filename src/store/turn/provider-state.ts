/** What a provider keeps of a session's conversation; it is written with the answer (turn-commit.sql.ts). */
import type { ProviderState } from '../../core/turn-write.ts'
import type { Database } from '../database.ts'

/** As of the last commit; null: nothing, or the session is gone. */
export async function readProviderState(database: Database, sessionId: string): Promise<ProviderState | null> {
  const [row] = await database.query<{ state: ProviderState | null }>(READ, [sessionId])
  return row?.state ?? null
}

const READ = {
  name: 'turn.provider-state',
  text: 'SELECT provider_state AS state FROM sessions WHERE id = $1',
}
