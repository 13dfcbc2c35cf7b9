/** GraphQL's Int; a turn that waited for an approval for a month took longer, and is shown as this. */
const MAX_MS = 2 ** 31 - 1

/**
 * Milliseconds from begin to end, null until both are known. Never negative, whatever the hosts' clocks did in between.
 */
export function durationMs(span: { readonly startedAt: Date | null; readonly finishedAt: Date | null }): number | null {
  if (span.startedAt === null || span.finishedAt === null) return null
  return toShownMs(span.finishedAt.getTime() - span.startedAt.getTime())
}

export function toShownMs(ms: number): number {
  return Math.min(Math.max(0, ms), MAX_MS)
}
