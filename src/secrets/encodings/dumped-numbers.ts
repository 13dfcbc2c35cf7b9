/**
 * Dumps of bytes as numbers with their addresses, decoded: what xxd, od and hexdump print, in hex, octal, binary and
 * decimal, one byte a number or several, with and without the letters beside. Called for every text that is redacted
 * (redaction.ts). Numbers without addresses are among the forms of a secret (encodings.ts).
 */
import type { DecodedView } from './decoded-view.ts'
import { joinDumped, type DumpedLine } from './dumped-lines.ts'
import type { Span } from './span.ts'

interface NumberLine extends Span {
  readonly numbers: readonly string[]
}

const MIN_ADDRESS_DIGITS = 6
/** `xxd` writes a colon behind its addresses. */
const ADDRESS = /([0-9a-f]{6,16})(:?)[ \t]+(?=[-0-9a-f])/iy
const NUMBER = /^-?[0-9a-f]{1,22}$/i

export function dumpedNumbers(text: string): DecodedView[] {
  const lines: NumberLine[] = []
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const numbers = mayBeDump(text, start) ? numbersOf(text, { start, end }) : null
    if (numbers !== null) lines.push({ start, end, numbers })
    start = end + 1
  }
  return lines.length === 0 ? [] : READINGS.flatMap((read) => joinDumped(readLines(lines, read), text))
}

/** Nearly every line of an ordinary text is ruled out by its first characters. */
function mayBeDump(text: string, start: number): boolean {
  for (let place = start; place < start + MIN_ADDRESS_DIGITS; place++)
    if (!isHexDigit(text.charCodeAt(place))) return false
  return true
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66) || (code >= 0x41 && code <= 0x46)
}

function readLines(lines: readonly NumberLine[], read: Reading): DumpedLine[] {
  return lines.flatMap(({ start, end, numbers }): DumpedLine[] => {
    const bytes = read(numbers)
    return bytes === null ? [] : [{ start, end, bytes }]
  })
}

/** Without the address and the letters; null: this is no line of a dump. */
function numbersOf(text: string, { start, end }: Span): string[] | null {
  ADDRESS.lastIndex = start
  const address = ADDRESS.exec(text)
  if (address === null || ADDRESS.lastIndex > end) return null
  const dumped = text.slice(ADDRESS.lastIndex, end)
  const numbers = (address[2] === ':' ? withoutLetters(dumped) : dumped.replace(/[|>].*$/, '')).trim().split(/[ \t]+/)
  return numbers.every((number) => NUMBER.test(number)) ? numbers : null
}

/** xxd writes a letter for each byte behind two spaces; there may be as many within the dump, and among the letters. */
function withoutLetters(dumped: string): string {
  const line = dumped.replace(/\r$/, '')
  let first: string | null = null
  for (const { index, 0: gap } of line.matchAll(/ {2,}/g)) {
    const numbers = line.slice(0, index)
    const digits = numbers.replaceAll(' ', '').length
    const least = line.length - index - gap.length
    const most = line.length - index - 2
    for (const letters of [digits / 2, digits / 8]) if (letters >= least && letters <= most) return numbers
    first ??= numbers
  }
  return first ?? line
}

/** The bytes that the numbers of a line stand for; null: they are not of this kind. */
type Reading = (numbers: readonly string[]) => string | null

const READINGS: readonly Reading[] = [
  inHex,
  inReversedHex,
  each(octalBytes),
  each(binaryByte),
  each(decimalBytes(1)),
  each(decimalBytes(2)),
  each(decimalBytes(4)),
]

function inHex(numbers: readonly string[]): string | null {
  return numbers.every(isHex) ? Buffer.from(numbers.join(''), 'hex').toString('latin1') : null
}

/** Numbers of several bytes, as this kind of machine has them in memory: the last byte first. */
function inReversedHex(numbers: readonly string[]): string | null {
  if (!numbers.every(isHex)) return null
  const bytes = Buffer.from(numbers.join(''), 'hex')
  let place = 0
  for (const { length } of numbers) bytes.subarray(place, (place += length / 2)).reverse()
  return bytes.toString('latin1')
}

function isHex(number: string): boolean {
  return number.length % 2 === 0 && !number.startsWith('-')
}

function each(read: (number: string) => string | null): Reading {
  return (numbers) => {
    let bytes = ''
    for (const number of numbers) {
      const said = read(number)
      if (said === null) return null
      bytes += said
    }
    return bytes
  }
}

/** Digits → bytes. */
const OCTAL = new Map([
  [3, 1],
  [6, 2],
  [11, 4],
  [22, 8],
])

function octalBytes(number: string): string | null {
  const size = OCTAL.get(number.length)
  return size === undefined || !/^[0-7]+$/.test(number) ? null : inMemory(BigInt(`0o${number}`), size)
}

function binaryByte(number: string): string | null {
  return /^[01]{8}$/.test(number) ? String.fromCharCode(parseInt(number, 2)) : null
}

function decimalBytes(size: 1 | 2 | 4): (number: string) => string | null {
  const limit = 256 ** size
  return (number) => {
    if (!/^-?\d{1,10}$/.test(number)) return null
    const value = Number(number)
    return value < limit && value >= -limit / 2 ? inMemory(BigInt(value), size) : null
  }
}

function inMemory(value: bigint, size: number): string {
  let bytes = ''
  for (let place = 0; place < size; place++) bytes += String.fromCharCode(Number((value >> BigInt(place * 8)) & 0xffn))
  return bytes
}
