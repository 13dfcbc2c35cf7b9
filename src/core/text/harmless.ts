/**
 * Texts of models, programs and people, as a terminal may be given them: escape sequences, text that runs backwards and
 * what hides in a text are shown instead of obeyed.
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
 * ends of lines; and what is not seen, or sets a direction, but what joins the parts of emoji and the letters of
 * Persian and of the languages of India, or marks the direction of one word.
 */
const CONTROL = /(?![\t\n]|\r\n)\p{Cc}|(?![\u00AD\u200C-\u200F\u{E0020}-\u{E007F}])\p{Cf}/gu
