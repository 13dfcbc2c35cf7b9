/**
 * Work that only the state of the world can keep from being done (a database that is away): tried until it succeeds or
 * is no longer wanted, one attempt after another, with a growing pause after each failure.
 */
import { backoffMs, type BackoffPolicy } from './backoff.ts'
import type { Clock } from '../clock.ts'
import { randomFraction } from '../random.ts'

export interface RetriedOptions {
  readonly clock: Pick<Clock, 'sleep'>
  readonly pauses: BackoffPolicy
  /** Asked before each attempt. */
  readonly isWanted: () => boolean
  /** Called before each pause. What it throws ends the work: that was no failure of the world. */
  readonly onFailure: (error: unknown, attempt: number) => void
  /** Cuts the pause short. */
  readonly signal?: AbortSignal
}

/** Null: it is no longer wanted. `attempt` is 0 for the first. Rejects with what `onFailure` throws, and else never. */
export async function retried<Answer>(
  work: (attempt: number) => Promise<Answer>,
  { clock, pauses, isWanted, onFailure, signal }: RetriedOptions,
): Promise<Answer | null> {
  for (let attempt = 0; isWanted(); attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      onFailure(error, attempt)
      await clock.sleep(backoffMs(pauses, attempt, randomFraction()), signal)
    }
  }
  return null
}
