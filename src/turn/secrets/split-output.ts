/** One event holds at most this much, so that a subscriber's frame stays small. */
const MAX_PIECE_CHARS = 32_768

/** Cuts a text into pieces of bounded size, never between the halves of a surrogate pair. */
export function splitOutput(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + MAX_PIECE_CHARS, text.length)
    const lastUnit = text.charCodeAt(end - 1)
    if (end < text.length && lastUnit >= 0xd800 && lastUnit <= 0xdbff) end -= 1
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
