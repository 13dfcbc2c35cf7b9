/**
 * Texts of models, programs and people, as a terminal may be given them: escape sequences and text that runs backwards
 * are shown instead of obeyed.
 */
export function harmless(text: string): string {
  return text.replaceAll(CONTROL, '\uFFFD')
}

/** The same for every text in a value. */
export function harmlessly<Value>(value: Value): Value {
  const clean = (_key: string, part: unknown): unknown => (typeof part === 'string' ? harmless(part) : part)
  return JSON.parse(JSON.stringify(value), clean) as Value
}

/**
 * Control characters (escape sequences begin with one, and a carriage return alone overwrites its line) but tabs and
 * ends of lines, and what sets or overrides a direction. Other format characters join the parts of emoji, or the
 * letters of Persian and of the languages of India.
 */
const CONTROL = /(?![\t\n]|\r\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu
