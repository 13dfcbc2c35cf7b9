/**
 * A piece of a text around what was searched for in it, in parts, so that a page can mark the hits without HTML. Where
 * the database finds more forms of a letter than are known here, there is a piece without a hit: the beginning.
 */
import { REDACTED } from './redacted.ts'

export interface ExcerptPart {
  readonly text: string
  readonly isHit: boolean
}

interface Span {
  readonly from: number
  readonly to: number
}

const MAX_CHARS = 240
const CHARS_BEFORE = 60
const MAX_HITS = 10
/** Each hit has something before it, and the last one something behind it. */
export const MAX_EXCERPT_PARTS = 2 * MAX_HITS + 1

/** White space becomes one space; an ellipsis stands where the text goes on. */
export function excerptOf(text: string, words: readonly string[]): readonly ExcerptPart[] {
  const hits = findHits(text, words)
  const { from, to } = pieceAround(text, hits[0] ?? { from: 0, to: 0 })
  const parts: ExcerptPart[] = []
  const add = (span: Span, isHit: boolean): void => {
    const piece = text.slice(span.from, span.to).replaceAll(/\s+/gu, ' ')
    const begun = span.from === from && from > 0 ? `…${piece}` : piece
    const whole = span.to === to && to < text.length ? `${begun}…` : begun
    if (span.to > span.from) parts.push({ text: whole, isHit })
  }
  let at = from
  for (const hit of hits.filter((one) => one.from < to).slice(0, MAX_HITS)) {
    const end = Math.min(hit.to, to)
    add({ from: at, to: hit.from }, false)
    add({ from: hit.from, to: end }, true)
    at = end
  }
  add({ from: at, to }, false)
  return parts
}

/** Begins and ends between words where one is near, and never within a character. */
function pieceAround(text: string, hit: Span): Span {
  const early = Math.max(0, hit.from - CHARS_BEFORE)
  const space = early === 0 ? -1 : text.slice(early, hit.from).search(/\s/u)
  const from = space === -1 ? whole(text, early) : early + space + 1
  const late = Math.min(text.length, from + MAX_CHARS)
  const spaces = late === text.length ? -1 : text.slice(0, late).search(/\s\S*$/u)
  return { from, to: spaces > Math.max(hit.to, late - CHARS_BEFORE) ? spaces : whole(text, late) }
}

/** Not between the halves of a character. */
function whole(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at
}

/** In order, none within another. What was redacted is no word. */
function findHits(text: string, words: readonly string[]): readonly Span[] {
  const { plain, places } = folded(text.replaceAll(REDACTED, '\0'.repeat(REDACTED.length)))
  const needles = words.map((word) => folded(word).plain).filter((needle) => needle !== '')
  const spans = needles.flatMap((needle) => placesOf(needle, plain)).toSorted((one, other) => one.from - other.from)
  const hits: Span[] = []
  for (const { from, to } of spans) {
    const span = { from: places[from] ?? 0, to: places[to] ?? text.length }
    const last = hits.at(-1)
    if (last === undefined || span.from >= last.to) hits.push(span)
    else hits[hits.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
  }
  return hits
}

/** Only as many as are shown: a letter may be in a text as often as one likes. */
function placesOf(needle: string, plain: string): Span[] {
  const spans: Span[] = []
  for (let at = plain.indexOf(needle); at !== -1 && spans.length < MAX_HITS; at = plain.indexOf(needle, at + 1))
    spans.push({ from: at, to: at + needle.length })
  return spans
}

/** Without case, width and accents, and where each of its characters stands in the text. */
function folded(text: string): { readonly plain: string; readonly places: readonly number[] } {
  let plain = ''
  const places: number[] = []
  let at = 0
  for (const character of text) {
    const letters = character < '\u0080' ? character.toLowerCase() : plainLetters(character)
    plain += letters
    for (let n = 0; n < letters.length; n += 1) places.push(at)
    at += character.length
  }
  return { plain, places: [...places, at] }
}

function plainLetters(character: string): string {
  const letters = character.toLowerCase().normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC')
  return Array.from(letters, (letter) => LETTERS[letter] ?? letter).join('')
}

const ACCENTS = /[\u0300-\u036f]/gu
/** Letters that are no other one with an accent, as PostgreSQL's unaccent has them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
