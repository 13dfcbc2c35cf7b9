/**
 * Takes secrets out of texts: whatever of a text belongs to a known secret, in any of its forms (encodings.ts), becomes
 * `[REDACTED]`. Occurrences that overlap or touch become one. Pure; secret-store.ts knows the secrets.
 *
 * What must hold: a text in pieces (`StreamRedactor`) comes out as it would whole, wherever it was cut.
 */
import { REDACTED } from '../core/redacted.ts'
import { must } from '../platform/must.ts'
import { encodingsOf } from './encodings.ts'
import { PatternMatcher, type Cursor, type Span } from './pattern-matcher.ts'

/** Shorter values stand in ordinary texts by chance; hiding them would destroy these and tell the value. */
export const MIN_SECRET_CHARS = 8

/** Whether a value can be hidden: not too short, and not a part of the mark that would stand for it. */
export function isRedactable(value: string): boolean {
  return value.trim().length >= MIN_SECRET_CHARS && !REDACTED.includes(value.trim())
}

/** A text that was cut at its end may end in the beginning of a secret; so many characters of one are hidden then. */
const MIN_OPEN_CHARS = 4

export class Redactor {
  static readonly none = new Redactor([])
  readonly #matchers: readonly PatternMatcher[]

  private constructor(matchers: readonly PatternMatcher[]) {
    this.#matchers = matchers
  }

  /** Building costs about 0.1 ms a secret. Values that are not redactable are left out. */
  static of(values: Iterable<string>): Redactor {
    const known = [...new Set(values)].filter(isRedactable).map(encodingsOf)
    if (known.length === 0) return Redactor.none
    const literal = new Set(known.flatMap((forms) => forms.literal))
    const wrapped = new Set(known.flatMap((forms) => forms.wrapped))
    return new Redactor([
      new PatternMatcher([...literal], { skipping: false }),
      new PatternMatcher([...wrapped], { skipping: true }),
    ])
  }

  /** Knows no secret: texts come back as they are. */
  get isEmpty(): boolean {
    return this.#matchers.length === 0
  }

  /** One that knows the secrets of both. */
  with(other: Redactor): Redactor {
    if (this.isEmpty) return other
    return other.isEmpty ? this : new Redactor([...this.#matchers, ...other.#matchers])
  }

  /** The text without secrets; the same string when there are none. `cut`: the text goes on where nobody sees it. */
  redact(text: string, { cut = false }: { readonly cut?: boolean } = {}): string {
    if (this.isEmpty) return text
    const spans: Span[] = []
    let openFrom = text.length
    for (const matcher of this.#matchers) {
      const cursor = matcher.start()
      matcher.scan(text, cursor, spans)
      if (matcher.openLength(cursor) >= MIN_OPEN_CHARS) openFrom = Math.min(openFrom, matcher.openFrom(text, cursor))
    }
    if (cut && openFrom < text.length) spans.push({ start: openFrom, end: text.length })
    return spans.length === 0 ? text : replaceSpans(text, spans)
  }

  /** For StreamRedactor. */
  get matchers(): readonly PatternMatcher[] {
    return this.#matchers
  }
}

function replaceSpans(text: string, spans: Span[]): string {
  const parts: string[] = []
  let position = 0
  for (const { start, end } of merge(spans)) {
    parts.push(text.slice(position, start), REDACTED)
    position = end
  }
  parts.push(text.slice(position))
  return parts.join('')
}

/** In order, with those that overlap or touch as one. */
function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return merged
}

/**
 * Redacts a text that comes in pieces. `push` returns what can be said by now: what could still turn out to be the beginning
 * of a secret is held back, at most as long as the longest form of one. `end` returns the rest.
 */
export class StreamRedactor {
  readonly #current: () => Redactor
  #redactor: Redactor
  #cursors: Cursor[]
  /** What came and is not yet said … */
  #held = ''
  /** … of which so many characters from its start stand behind a mark that is said. */
  #covered = 0
  /** The last thing said is a mark. */
  #afterMark = false
  /** Occurrences within `#held` that are not yet said, in places of `#held`. */
  #spans: Span[] = []

  /** `current`: asked with every piece, so that a secret that becomes known meanwhile is hidden from then on. */
  constructor(current: () => Redactor) {
    this.#current = current
    this.#redactor = current()
    this.#cursors = this.#redactor.matchers.map((matcher) => matcher.start())
  }

  push(piece: string): string {
    this.#adopt(this.#current())
    if (this.#redactor.isEmpty && this.#held === '') return piece
    this.#read(piece)
    return this.#sayUntil(this.#openFrom())
  }

  /** What is left. `cut`: as for Redactor. */
  end({ cut = false }: { readonly cut?: boolean } = {}): string {
    const openFrom = cut ? this.#openFrom(MIN_OPEN_CHARS) : this.#held.length
    if (openFrom < this.#held.length) this.#spans.push({ start: openFrom, end: this.#held.length })
    return this.#sayUntil(this.#held.length)
  }

  /** What is held back is read again with the new patterns. */
  #adopt(redactor: Redactor): void {
    if (redactor === this.#redactor) return
    this.#redactor = redactor
    this.#cursors = redactor.matchers.map((matcher) => matcher.start())
    const held = this.#held
    this.#held = ''
    this.#read(held)
  }

  #read(piece: string): void {
    this.#held += piece
    for (const [index, matcher] of this.#redactor.matchers.entries())
      matcher.scan(this.#held, this.#cursorOf(index), this.#spans)
  }

  #cursorOf(index: number): Cursor {
    return must(this.#cursors[index], 'each matcher has a cursor')
  }

  /** Where the first beginning of a secret is that the text ends with, of at least `minChars`. */
  #openFrom(minChars = 1): number {
    const starts = this.#redactor.matchers.map((matcher, index) => {
      const cursor = this.#cursorOf(index)
      return matcher.openLength(cursor) >= minChars ? matcher.openFrom(this.#held, cursor) : this.#held.length
    })
    return Math.min(this.#held.length, ...starts)
  }

  #sayUntil(boundary: number): string {
    const parts: string[] = []
    const later: Span[] = []
    for (const { start, end } of merge(this.#spans)) {
      // One that touches the mark said before belongs to it, even when that is all that is known of the rest.
      if (start >= boundary && !(this.#afterMark && start <= this.#covered)) {
        later.push({ start, end })
        continue
      }
      this.#say(parts, start)
      if (!this.#afterMark) parts.push(REDACTED)
      this.#afterMark = true
      this.#covered = Math.max(this.#covered, end)
    }
    this.#say(parts, boundary)
    this.#held = this.#held.slice(boundary)
    for (const cursor of this.#cursors) cursor.read -= boundary
    this.#covered = Math.max(0, this.#covered - boundary)
    this.#spans = later.map(({ start, end }) => ({ start: start - boundary, end: end - boundary }))
    return parts.join('')
  }

  /** Says the text up to `end`, as far as it is not covered. */
  #say(parts: string[], end: number): void {
    if (end <= this.#covered) return
    parts.push(this.#held.slice(this.#covered, end))
    this.#covered = end
    this.#afterMark = false
  }
}
