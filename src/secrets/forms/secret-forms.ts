/**
 * Finds secrets by their form alone: in a message such a text is hidden like one that the planner found, and a
 * learning with one is not kept. Not used for outputs, which are full of digests and samples. Pure; docs/security.md
 * says what is and is not found.
 *
 * What must hold: the time is linear in the text, whatever it says. A cue is made of words and bounded repeats; behind
 * it at most `reach` characters are read, and what was taken is not read again.
 */
import { keyForms } from './key-forms.ts'
import { sentenceForms } from './sentence-forms.ts'
import type { SecretForm } from './secret-form.ts'
import { mergeSpans, type Span } from '../encodings/span.ts'
import { withMarks } from '../with-marks.ts'

/** Shorter ones are words and numbers of ordinary sentences. */
const MIN_CHARS = 6

const FORMS: readonly SecretForm[] = [...keyForms, ...sentenceForms]

/** Ends sentences and quotations; no secret ends with it, or loses little. */
const CLOSING = new Set('.,;:)]}"\'`”»“」』。、！？!?>')

/** Where `text` has the form of a secret, in order and apart from each other. */
function secretSpans(text: string): Span[] {
  return mergeSpans(FORMS.flatMap((form) => spansOf(form, text)))
}

/** What stands there, each once. */
export function secretsByForm(text: string): string[] {
  return [...new Set(secretSpans(text).map(({ start, end }) => text.slice(start, end)))]
}

/** The text with marks there. Done again, nothing changes. */
export function hideForms(text: string): string {
  return withMarks(text, secretSpans(text))
}

function spansOf(form: SecretForm, text: string): Span[] {
  const spans: Span[] = []
  const cues = new RegExp(form.cue)
  for (let cue = cues.exec(text); cue !== null; cue = cues.exec(text)) {
    const span = spanBehind(form, text, { start: cue.index, end: cues.lastIndex })
    if (span !== null) spans.push(span)
    // A cue may be empty.
    cues.lastIndex = Math.max(cues.lastIndex, span?.end ?? 0, cue.index + 1)
  }
  return spans
}

function spanBehind({ rest, reach, withCue = false, isSecret }: SecretForm, text: string, cue: Span): Span | null {
  const match = rest.exec(text.slice(cue.end, cue.end + reach))
  const value = match?.groups?.['value']
  if (match === null || value === undefined) return null
  const at = cue.end + match[0].lastIndexOf(value)
  const from = at + nameBefore(value)
  const span = { start: withCue ? cue.start : from, end: at + withoutClosing(value) }
  const isLong = span.end - span.start >= MIN_CHARS
  const said = text.slice(from, span.end)
  return isLong && (isSecret?.(said, { text, cue, end: span.end }) ?? true) ? span : null
}

/** In "secret: DB_PASSWORD=hunter22" the name is none: the length of it and of its "=". */
function nameBefore(value: string): number {
  return /^[A-Z][A-Z0-9_]{1,60}=(?=[^=].{5})/.exec(value)?.[0].length ?? 0
}

/** How long `value` is without what closes the sentence that it stands in. */
function withoutClosing(value: string): number {
  let length = value.length
  while (length > 0 && CLOSING.has(value.charAt(length - 1))) length -= 1
  return length
}
