/** What a caller gets who has as many sessions as they may have (src/config/schema/quotas.ts). */
import type { Refusal } from '../../core/refusal.ts'
import { USER_MARK } from '../../core/session/session-id.ts'
import { countOpenedSessions } from '../../store/intake/opened-sessions.ts'
import type { IntakeContext } from '../intake-context.ts'

interface FullQuota {
  /** As a session names who opened it. */
  readonly opener: string
  readonly maxSessions: number | null
}

const WHAT_TO_DO = 'Delete one that you no longer need, or ask an administrator for more.'

/**
 * The refusal of an opener whose quota is full. Counts anew, so `current` may be below `limit` when a session was
 * deleted meanwhile. Rejects with DATABASE_UNAVAILABLE (retry: backoff).
 */
export async function tooManySessions(
  { database }: Pick<IntakeContext, 'database'>,
  { opener, maxSessions }: FullQuota,
): Promise<Extract<Refusal, { kind: 'LimitExceeded' }>> {
  const limit = maxSessions ?? 0
  const current = await countOpenedSessions(database, opener)
  const who = opener.startsWith(USER_MARK) ? 'You have' : `The connector "${opener}" has`
  const message = `${who} ${current} of ${limit} sessions. ${WHAT_TO_DO}`
  return { kind: 'LimitExceeded', message, limit, current, retryAfterMs: null }
}
