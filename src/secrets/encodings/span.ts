/** A part of a text: from the character at `start` up to the one before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** In order, with those that overlap or touch as one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return merged
}
