/** Which words were added and removed between two texts. */

export interface DiffPart {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Beyond this many words on a side, comparing all with all takes too long: the middle is shown as replaced. */
const MOST_WORDS = 1500

/** Put together, the parts that are not `removed` are `after`, those not `added` are `before`. */
export function wordDiff(before: string, after: string): readonly DiffPart[] {
  const a = wordsOf(before)
  const b = wordsOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end))
  return joined([
    ...a.slice(0, start).map((text): DiffPart => ({ kind: 'same', text })),
    ...middle,
    ...a.slice(a.length - end).map((text): DiffPart => ({ kind: 'same', text })),
  ])
}

/** Words, and what stands between them. */
function wordsOf(text: string): readonly string[] {
  return text.split(/(\s+|(?<=[^\p{L}\p{N}_])|(?=[^\p{L}\p{N}_]))/u).filter((part) => part !== undefined && part !== '')
}

function between(a: readonly string[], b: readonly string[]): readonly DiffPart[] {
  if (a.length > MOST_WORDS || b.length > MOST_WORDS)
    return [
      { kind: 'removed', text: a.join('') },
      { kind: 'added', text: b.join('') },
    ]
  const lengths = commonLengths(a, b)
  const parts: DiffPart[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push({ kind: 'same', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && at(lengths, i + 1, j) >= at(lengths, i, j + 1))) {
      parts.push({ kind: 'removed', text: a[i] ?? '' })
      i += 1
    } else {
      parts.push({ kind: 'added', text: b[j] ?? '' })
      j += 1
    }
  }
  return parts
}

/** How many words the rests from i and j have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = rows[i]
      if (row !== undefined)
        row[j] = a[i] === b[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1))
    }
  return rows
}

function at(rows: readonly Uint16Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0
}

function joined(parts: readonly DiffPart[]): readonly DiffPart[] {
  const all: DiffPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (part.text === '') continue
    if (last?.kind === part.kind) all[all.length - 1] = { kind: part.kind, text: last.text + part.text }
    else all.push(part)
  }
  return all
}
