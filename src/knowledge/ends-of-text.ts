/** Of a text as much as says what it is about: a question stands before what is pasted, or behind it. */
const MAX_CHARS_OF_END = 2000

/** The whole text, or its beginning and its end. */
export function endsOfText(text: string): string {
  if (text.length <= 2 * MAX_CHARS_OF_END) return text
  return `${text.slice(0, MAX_CHARS_OF_END)}\n${text.slice(-MAX_CHARS_OF_END)}`
}
