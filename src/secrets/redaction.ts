/**
 * Takes secrets out of texts: whatever of a text belongs to a known secret, in any of its forms (encodings.ts, decoded
 * views), becomes `[REDACTED]`. Occurrences that overlap or touch become one. Pure; secret-store.ts knows the secrets.
 *
 * What must hold: a text changes only where a whole secret stands. Who prints guesses learns nothing of a part of one.
 */
import { REDACTED } from '../core/text/redacted.ts'
import { base64Runs } from './encodings/base64-runs.ts'
import { decodeRun } from './encodings/decode-run.ts'
import type { DecodedView } from './encodings/decoded-view.ts'
import { dumpedLetters } from './encodings/dumped-letters.ts'
import { dumpedNumbers } from './encodings/dumped-numbers.ts'
import { encodingsOf, type Encodings } from './encodings/encodings.ts'
import { foldCase } from './encodings/fold-case.ts'
import { BASE32, BASE64, type GroupCode } from './encodings/group-codes.ts'
import { PatternMatcher } from './pattern-matcher.ts'
import { spacedLetters } from './encodings/spaced-letters.ts'
import { mergeSpans, type Span } from './encodings/span.ts'
import { withMarks } from './with-marks.ts'

/** Shorter values stand in ordinary texts by chance; hiding them would destroy these and tell the value. */
export const MIN_SECRET_CHARS = 8

/**
 * Whether a value can be hidden: not too short, line ends aside, and not a part of the mark that would stand for it.
 */
export function isRedactable(value: string): boolean {
  const chars = value.trim().replace(/[\r\n]/g, '')
  return chars.length >= MIN_SECRET_CHARS && !REDACTED.toLowerCase().includes(chars.toLowerCase())
}

/** What programs put between lines and groups of base64, and between numbers. */
const BETWEEN_GROUPS = '\n\r\t :'
const BETWEEN_NUMBERS = `${BETWEEN_GROUPS},`

/** Of the patterns of some secrets. */
type Matchers = Readonly<Record<keyof Encodings, PatternMatcher>>

/** Eight characters around a part in code reach to the ends of its groups, with line ends in between. */
const MAX_EDGE = 96
/** Code within code within code is known nowhere. */
const MAX_DEPTH = 2

/** Shorter texts are read again faster than they are worth remembering. */
const MIN_REMEMBERED_CHARS = 16_384
/** System prompts, and the descriptions of tools. */
const MAX_REPEATED = 200

export class Redactor {
  static readonly none = new Redactor([])
  readonly #matchers: readonly Matchers[]
  /** The last long text without secrets: an output passes several exits, and need not be read at each. */
  #clean: string | null = null
  /** Texts without secrets that come again and again. */
  readonly #repeated = new Set<string>()

  private constructor(matchers: readonly Matchers[]) {
    this.#matchers = matchers
  }

  /** Building costs about a millisecond a secret. Values that are not redactable are left out. */
  static of(values: Iterable<string>): Redactor {
    const known = [...new Set(values)].filter(isRedactable).map(encodingsOf)
    if (known.length === 0) return Redactor.none
    const all = (kind: keyof Matchers): string[] => [...new Set(known.flatMap((forms) => forms[kind]))]
    return new Redactor([
      {
        folded: new PatternMatcher(all('folded'), { skipped: '\r\n' }),
        grouped: new PatternMatcher(all('grouped'), { skipped: BETWEEN_NUMBERS }),
        base64: new PatternMatcher(all('base64'), { skipped: BETWEEN_GROUPS }),
        base32: new PatternMatcher(all('base32'), { skipped: BETWEEN_GROUPS }),
      },
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

  /**
   * The text without secrets; the same string when there are none. `until`: of a text that was cut off there, what
   * follows is given too, so that a secret that goes on behind the cut is seen; it is left out.
   */
  redact(text: string, { until = text.length }: { readonly until?: number } = {}): string {
    if (this.isEmpty || text === this.#clean) return text.slice(0, until)
    const spans = this.spansIn(text)
    if (spans.length > 0) return withMarks(text, spans, until)
    if (text.length >= MIN_REMEMBERED_CHARS) this.#clean = text
    return text.slice(0, until)
  }

  /** `redact` for a text that comes again and again, such as a system prompt: without secrets, it is read once. */
  redactRepeated(text: string): string {
    if (this.isEmpty || this.#repeated.has(text)) return text
    const redacted = this.redact(text)
    if (redacted !== text) return redacted
    if (this.#repeated.size >= MAX_REPEATED) this.#repeated.clear()
    this.#repeated.add(text)
    return text
  }

  /** Where secrets stand, in order and apart from each other. */
  spansIn(text: string): Span[] {
    if (this.isEmpty || text.length < MIN_SECRET_CHARS) return []
    const found = this.#match(text)
    for (const view of viewsOf(text)) for (const span of this.#match(view.text)) found.push(view.spanOf(span))
    return mergeSpans(found)
  }

  #match(text: string, depth = 0): Span[] {
    const found: Span[] = []
    const folded = foldCase(text)
    for (const matchers of this.#matchers) {
      matchers.folded.scan(folded, found)
      matchers.grouped.scan(folded, found)
      if (depth === MAX_DEPTH) continue
      found.push(...this.#confirm(text, matchers.base64, { code: BASE64, depth }))
      found.push(...this.#confirm(folded, matchers.base32, { code: BASE32, depth }))
    }
    return found
  }

  /**
   * What `matcher` finds leaves the bits at both ends open: without these, who knows all the rest could try the last
   * characters.
   */
  #confirm(text: string, matcher: PatternMatcher, { code, depth }: { code: GroupCode; depth: number }): Span[] {
    const suspects: Span[] = []
    matcher.scan(text, suspects)
    return suspects
      .flatMap((suspect) => decodeRun(text, widen(text, suspect), code))
      .flatMap((view) => this.#match(view.text, depth + 1).map((span) => view.spanOf(span)))
  }
}

/** By some characters of the code on both sides, between which white space may stand. */
function widen(text: string, { start, end }: Span): Span {
  const before = /(?:[^\s:][\s:]*){0,8}$/.exec(text.slice(Math.max(0, start - MAX_EDGE), start))?.[0] ?? ''
  const after = /^(?:[\s:]*[^\s:]){0,8}/.exec(text.slice(end, end + MAX_EDGE))?.[0] ?? ''
  return { start: start - before.length, end: end + after.length }
}

/** Parts of a text that say something else when they are decoded. */
function viewsOf(text: string): DecodedView[] {
  return [...spacedLetters(text), ...base64Runs(text), ...dumpedNumbers(text), ...dumpedLetters(text)]
}
