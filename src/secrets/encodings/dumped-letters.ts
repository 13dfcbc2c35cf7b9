/**
 * Dumps of bytes as letters, decoded: what `od -c`, `od -a` and `hexdump -c` print, four characters for each byte.
 * Called for every text that is redacted whole (redaction.ts).
 */
import type { DecodedView } from './decoded-view.ts'
import { joinDumped, type DumpedLine } from './dumped-lines.ts'

/** With an address or without. */
const LINE = /(?:[0-9a-f]{6,8})?((?: {3}\S| {2}\S{2}| \S{3}| {4}){1,32}) {0,99}\r?(?=\n|$)/iy

/** As `od -a` calls the bytes from 0 on. */
const NAMES =
  'nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp'
/** As in source code. */
const ESCAPES: readonly (readonly [string, string])[] = [
  ['\\0', '\0'],
  ['\\a', '\x07'],
  ['\\b', '\b'],
  ['\\t', '\t'],
  ['\\n', '\n'],
  ['\\v', '\v'],
  ['\\f', '\f'],
  ['\\r', '\r'],
]
const NAMED = new Map([...NAMES.split(' ').map((name, byte) => [name, String.fromCharCode(byte)] as const), ...ESCAPES])

export function dumpedLetters(text: string): DecodedView[] {
  const lines: DumpedLine[] = []
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const bytes = mayBeDump(text, start) ? bytesOf(text, start) : null
    if (bytes !== null) lines.push({ start, end, bytes })
    start = end + 1
  }
  return joinDumped(lines, text)
}

/** Each byte has a blank before it; behind an address of `od` or `hexdump`, of seven digits, or at the start. */
function mayBeDump(text: string, start: number): boolean {
  return [0, 7].some((address) => text.charAt(start + address) === ' ' && text.charAt(start + address + 4) === ' ')
}

function bytesOf(text: string, start: number): string | null {
  LINE.lastIndex = start
  const fields = LINE.exec(text)?.[1]
  return fields === undefined ? null : (fields.match(/.{4}/g) ?? []).map(byteOf).join('')
}

function byteOf(field: string): string {
  const said = field.trim()
  if (said.length <= 1) return said === '' ? ' ' : said
  if (/^[0-3][0-7]{2}$/.test(said)) return String.fromCharCode(parseInt(said, 8))
  return NAMED.get(said) ?? '?'
}
