/**
 * How deeply JSON from outside is nested. What goes through a value calls itself once for each level, and a process
 * whose stack is exhausted where nothing catches it ends.
 */

/** Of what plugins send and files hold: what redacts, stores and shows it has the stack for so many. */
export const MAX_LEVELS = 256

/** Recurses at most `levels` times. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // Of a list of a million numbers no copy is made.
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return members.some((member) => isDeeper(member, levels - 1))
}
