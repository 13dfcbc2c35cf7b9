/**
 * The forms in which a secret may stand in a text. Called when a Redactor is built. Each form is what programs really
 * print; what has a form of its own in every place (dumps, letters apart, long base64 of base64) is decoded instead
 * (decoded-view.ts).
 */
import { foldCase } from './fold-case.ts'
import { BASE32_ALPHABET } from './group-codes.ts'

export interface Encodings {
  /**
   * As it is, reversed, escaped for JSON and URLs, as bytes of UTF-8 and UTF-16: in folded case (fold-case.ts), and
   * without line ends, which may stand anywhere inside.
   */
  readonly folded: readonly string[]
  /**
   * Numbers, in folded case: programs break them into lines and groups, so white space, colons and commas may stand
   * inside.
   */
  readonly grouped: readonly string[]
  /**
   * Base64, in which case matters, and base32, in folded case; white space and colons may stand inside. Without the
   * bits at both ends that share a character with what stands around the secret: whether these are the secret's, too,
   * is seen when it is decoded.
   */
  readonly base64: readonly string[]
  readonly base32: readonly string[]
}

/** A line of a key or certificate is a secret too: outputs quote single lines. */
const MIN_LINE_CHARS = 16
/** Of a longer text, base64 of UTF-16 or of base64 is long enough to be decoded where it stands (base64-runs.ts). */
const MAX_SHORT_BYTES = 40
/**
 * Longer texts are not searched as lists of bytes: the patterns would be many times as long as the text. The lines of a
 * long key are shorter, so they still are.
 */
const MAX_LISTED_CHARS = 256

/**
 * Every form of `value`, none of them empty. A lone surrogate cannot be encoded; it counts as U+FFFD, as everywhere.
 */
export function encodingsOf(value: string): Encodings {
  const whole = value.toWellFormed()
  const trimmed = whole.trim()
  const texts = [...new Set([whole, trimmed, ...secretLines(trimmed)])]
  return {
    folded: distinct(texts.flatMap(literalForms).map((form) => foldCase(form).replace(/[\r\n]/g, ''))),
    grouped: distinct(texts.flatMap((text) => [...bytesOf(text).map(inHex), ...inNumbers(text)])),
    base64: distinct(texts.flatMap(inEveryBase64)),
    base32: distinct(texts.flatMap(inBase32)),
  }
}

function secretLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length === 1) return []
  return lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith('-----'))
}

/** A form of which line ends leave less than any secret has would stand in ordinary texts. */
const MIN_FORM_CHARS = 8

function distinct(forms: readonly string[]): string[] {
  return [...new Set(forms)].filter((form) => form.length >= MIN_FORM_CHARS)
}

/** In UTF-8, and in UTF-16 in both orders. */
function bytesOf(text: string): Buffer[] {
  return [Buffer.from(text), ...inUtf16(text)]
}

function inUtf16(text: string): Buffer[] {
  const little = Buffer.from(text, 'utf16le')
  return [little, Buffer.from(little).swap16()]
}

function literalForms(text: string): string[] {
  const reversed = Array.from(text).toReversed().join('')
  // Where bytes were decoded, each is a character: what is beyond ASCII stands there in another form than in a text.
  const asBytes = bytesOf(text).map((bytes) => bytes.toString('latin1'))
  // Upper case can be another text: "ß" becomes "SS".
  const cased = [text, text.toUpperCase(), reversed]
  return [...cased, ...asBytes, ...misread(text), ...inJson(text), ...inUrls(text), ...inEscapes(text)]
}

/** What is left of a text in Latin-1 or UTF-16 where it was taken for UTF-8, when it is still mostly itself. */
function misread(text: string): string[] {
  const left = text.replace(/[\u0080-\u00ff]/g, '\ufffd')
  return left !== text && left.replaceAll('\ufffd', '').length >= MIN_FORM_CHARS ? [left] : []
}

/**
 * With and without escaped slashes, with and without escapes for everything beyond ASCII; and JSON text inside JSON.
 */
function inJson(text: string): string[] {
  const escaped = escapeJson(text)
  const ascii = escaped.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [escaped, ascii].flatMap((form) => [form, form.replaceAll('/', '\\/'), escapeJson(form)])
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** As encoders of different strictness write it; and with every byte encoded. */
function inUrls(text: string): string[] {
  const component = encodeURIComponent(text)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const allBytes = inHex(Buffer.from(text)).replace(/../g, '%$&')
  return [component, strict, form, component.replaceAll('%2F', '/'), encodeURI(text), allBytes]
}

/** With every byte escaped, as in source code. */
function inEscapes(text: string): string[] {
  if (text.length > MAX_LISTED_CHARS) return []
  const bytes = Buffer.from(text)
  const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return [inHex(bytes).replace(/../g, '\\x$&'), octal]
}

function inHex(bytes: Buffer): string {
  return bytes.toString('hex')
}

function inEveryBase64(text: string): string[] {
  const plain = inBase64(Buffer.from(text))
  if (Buffer.byteLength(text) > MAX_SHORT_BYTES) return plain
  const twice = plain.flatMap((once) => inBase64(Buffer.from(once)))
  return [...plain, ...twice, ...inUtf16(text).flatMap(inBase64)]
}

/**
 * Where a text begins within a group of three bytes decides how its base64 is spelt. The characters at both ends
 * that also hold bits of the neighbours are left out, so the form is found whatever stands around it.
 */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** As lists of bytes in JSON and source code, without what stands between them; and as `od -b` prints them. */
function inNumbers(text: string): string[] {
  if (text.length > MAX_LISTED_CHARS) return []
  const bytes = [...Buffer.from(text)]
  const write = (number: (byte: number) => string): string => bytes.map(number).join('')
  return [
    write(String),
    write((byte) => byte.toString(8).padStart(3, '0')),
    write((byte) => `0x${byte.toString(16)}`),
    write((byte) => `0x${byte.toString(16).padStart(2, '0')}`),
  ]
}

/** As `inBase64`, with groups of five bytes and eight characters. */
function inBase32(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2, 3, 4].map((offset) => {
    let own = ''
    // The bits that are not yet written, of which the first character needs those that stand behind its neighbour's.
    let [bits, count] = [0, -((5 - ((offset * 8) % 5)) % 5)]
    for (const byte of bytes) {
      bits = ((bits << 8) | byte) & 0xfff
      for (count += 8; count >= 5; count -= 5) own += BASE32_ALPHABET.charAt((bits >> (count - 5)) & 31)
    }
    return own
  })
}
