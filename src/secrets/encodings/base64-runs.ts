/**
 * Long base64 in a text, decoded: for what base64 holds in another form (base64 with line ends, UTF-16). Called for
 * every text that is redacted (redaction.ts); in linear time, most of a text is not read at all.
 */
import { decodeRun } from './decode-run.ts'
import type { DecodedView } from './decoded-view.ts'
import { BASE64 } from './group-codes.ts'

/** Shorter ones are among the forms of a secret (encodings.ts). */
const MIN_CHARS = 64
/** Within a run; so each has one of the places that are sampled, or a line end is there and base64 behind it. */
const STEP = MIN_CHARS / 2
/** Of a line that base64 goes on from: words one a line are none. */
const MIN_LINE_CHARS = 16
const MAX_INDENT = 8

const IS_BASE64 = new Uint8Array(128)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
  IS_BASE64[char.charCodeAt(0)] = 1
/** Digests, of which outputs are full: in sixteen characters there is hardly base64. */
const HEX_ONLY = /^[0-9a-fA-F\s]*$/

export function base64Runs(text: string): DecodedView[] {
  const views: DecodedView[] = []
  for (let place = 0; place < text.length; place += STEP) {
    const within = isBase64(text, place) ? place : behindLineEnd(text, place)
    if (within === null) continue
    const [start, end] = [startOf(text, within), endOf(text, within)]
    if (end - start >= MIN_CHARS && !HEX_ONLY.test(text.slice(start, end)))
      views.push(...decodeRun(text, { start, end }, BASE64))
    place = Math.max(place, end - STEP)
  }
  return views
}

function isBase64(text: string, place: number): boolean {
  const code = text.charCodeAt(place)
  return code < 128 && IS_BASE64[code] === 1
}

/** Where base64 goes on in the next line, if this one ends here; null: it does not. */
function behindLineEnd(text: string, place: number): number | null {
  let next = place
  if (text.charAt(next) === '\r') next += 1
  if (text.charAt(next) === '\n') next += 1
  else if (!isBlank(text, next)) return null
  for (let indent = 0; indent < MAX_INDENT && isBlank(text, next); indent++) next += 1
  return isBase64(text, next) ? next : null
}

function isBlank(text: string, place: number): boolean {
  const char = text.charAt(place)
  return char === ' ' || char === '\t'
}

function endOf(text: string, within: number): number {
  let [line, end] = [startOfLine(text, within), within]
  for (;;) {
    while (isBase64(text, end)) end += 1
    if (end - line < MIN_LINE_CHARS) return end
    const char = text.charAt(end)
    const next = char === '\n' || char === '\r' ? behindLineEnd(text, end) : null
    if (next === null) return end
    line = end = next
  }
}

function startOf(text: string, within: number): number {
  let start = within
  for (;;) {
    start = startOfLine(text, start)
    const before = beforeLineEnd(text, start)
    if (before === null || before - startOfLine(text, before) < MIN_LINE_CHARS) return start
    start = before
  }
}

function startOfLine(text: string, within: number): number {
  let start = within
  while (start > 0 && isBase64(text, start - 1)) start -= 1
  return start
}

/** Where base64 ended in the line before, behind its last character; null: it did not. */
function beforeLineEnd(text: string, place: number): number | null {
  let before = place
  for (let indent = 0; indent < MAX_INDENT && isBlank(text, before - 1); indent++) before -= 1
  if (text.charAt(before - 1) !== '\n') return null
  before -= 1
  if (text.charAt(before - 1) === '\r') before -= 1
  return isBase64(text, before - 1) ? before : null
}
