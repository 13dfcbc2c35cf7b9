import { REDACTED } from '../core/text/redacted.ts'
import type { Span } from './encodings/span.ts'

/** The text up to `until` with the mark in the place of each span; these are in order and apart from each other. */
export function withMarks(text: string, spans: readonly Span[], until = text.length): string {
  const parts: string[] = []
  let position = 0
  for (const { start, end } of spans) {
    if (start >= until) break
    parts.push(text.slice(position, start), REDACTED)
    position = end
  }
  parts.push(text.slice(position, until))
  return parts.join('')
}
