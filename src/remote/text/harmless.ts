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

/** Control and format characters (escape sequences, bidirectional overrides) but tab and line feed. */
const CONTROL = /(?![\t\n])[\p{Cc}\p{Cf}]/gu
