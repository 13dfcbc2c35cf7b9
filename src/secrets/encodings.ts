/**
 * The forms in which a secret may stand in a text: as it is, escaped for JSON, URL-encoded, in base64 and in hex. Called when
 * a Redactor is built. Each form is what programs really print; dialects (`%2f` and `%2F`, `+` and `%20`) are forms of their own.
 */
export interface Encodings {
  /** Forms that stand in a text character by character. */
  readonly literal: readonly string[]
  /** Forms that programs break into lines and groups (base64, hex): white space may stand anywhere inside. */
  readonly wrapped: readonly string[]
}

/** A line of a key or certificate is a secret too: outputs quote single lines. */
const MIN_LINE_CHARS = 16

/** Every form of `value`, none of them empty. A lone surrogate cannot be encoded; it counts as U+FFFD, as everywhere. */
export function encodingsOf(value: string): Encodings {
  const whole = value.toWellFormed()
  const trimmed = whole.trim()
  const texts = [...new Set([whole, trimmed, ...secretLines(trimmed)])]
  const literal = texts.flatMap((text) => [text, ...inJson(text), ...inUrls(text)])
  const wrapped = texts.flatMap((text) => [...inBase64(text), ...inHex(text)])
  return { literal: distinct(literal), wrapped: distinct(wrapped) }
}

function secretLines(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.length === 1) return []
  return lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith('-----'))
}

function distinct(forms: readonly string[]): string[] {
  return [...new Set(forms)].filter((form) => form !== '')
}

/** With and without escaped slashes, with and without escapes for everything beyond ASCII; and JSON text inside JSON. */
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
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const allBytes = Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')
  const forms = [component, strict, form, component.replaceAll('%2F', '/'), encodeURI(text), allBytes]
  return forms.flatMap((one) => [one, one.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())])
}

/**
 * Where a text begins within a group of three bytes decides what its base64 looks like. The characters at both ends that also
 * hold bits of the neighbours are left out, so the form is found whatever stands around it.
 */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function inHex(text: string): string[] {
  const lower = Buffer.from(text).toString('hex')
  return [lower, lower.toUpperCase()]
}
