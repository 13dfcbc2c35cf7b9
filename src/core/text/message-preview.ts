/** The beginning of a message on one line, for lists of sessions. */
const MAX_CHARACTERS = 120
const BLANK = /[\s\p{Cc}]/u

/**
 * At most `max` characters (code points, 120 unless said) of `content`, with every run of white space and control
 * characters as one space, and "…" when there is more. Empty when nothing but white space is there.
 */
export function messagePreview(content: string, max = MAX_CHARACTERS): string {
  let preview = ''
  let length = 0
  let gap = false
  for (const character of content) {
    if (BLANK.test(character)) {
      gap = length > 0
      continue
    }
    if (length + (gap ? 2 : 1) > max) return `${preview}…`
    preview += gap ? ` ${character}` : character
    length += gap ? 2 : 1
    gap = false
  }
  return preview
}
