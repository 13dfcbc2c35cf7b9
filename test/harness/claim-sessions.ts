/** Claims as a worker does, where no user comes near their share. */
import { Claimer, type Claiming } from '../../src/store/turn/claim-sessions.ts'
import type { Database } from '../../src/store/database.ts'
import type { Lease } from '../../src/store/turn/lease.ts'

export async function claimSessions(
  database: Database,
  node: number,
  { limit, held, share = 1000 }: Pick<Claiming, 'limit' | 'held'> & Partial<Claiming>,
): Promise<readonly Lease[]> {
  return (await new Claimer(database).claim(node, { limit, held, share })).leases
}
