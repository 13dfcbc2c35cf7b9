/** "Did you mean …?" for mistyped names. */

/** The candidate nearest to a mistyped word, or null when none is near enough to be meant. */
function closest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Math.ceil(word.length / 3) + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** ` (did you mean "x"?)` to append to what was not found, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = closest(word, candidates)
  return found === null ? '' : ` (did you mean "${found}"?)`
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const substituted = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
