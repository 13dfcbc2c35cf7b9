/**
 * Milliseconds from begin to end, null until both are known. Never negative, whatever the hosts' clocks did in between.
 */
export function durationMs(span: { readonly startedAt: Date | null; readonly finishedAt: Date | null }): number | null {
  if (span.startedAt === null || span.finishedAt === null) return null
  return Math.max(0, span.finishedAt.getTime() - span.startedAt.getTime())
}
