/**
 * Exponential backoff with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/): spreads retries of many callers.
 */
export interface BackoffPolicy {
  readonly firstMs: number
  readonly maxMs: number
}

/** The wait before retry number `attempt` (0 = the first retry). `random` is a number in [0, 1). */
export function backoffMs(policy: BackoffPolicy, attempt: number, random: number): number {
  const ceiling = Math.min(policy.maxMs, policy.firstMs * 2 ** attempt)
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}
