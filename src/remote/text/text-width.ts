/** How many columns of a terminal a text takes, colours left out: East Asian characters and emoji take two. */
import { stripVTControlCharacters } from 'node:util'

/** Tabs are counted as one: what shows them makes spaces of them. */
export function textWidth(text: string): number {
  let width = 0
  let last = 0
  for (const character of stripVTControlCharacters(text)) {
    // What is a picture by this alone takes two columns on some terminals, and one on others.
    if (character === AS_PICTURE && last === 1) width += 1
    last = widthOf(character)
    width += last
  }
  return width
}

/** As much of a line without colours as fits into so many columns, with a mark where something is cut off. */
export function cutText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (textWidth(kept + character) >= columns) break
    kept += character
  }
  return `${kept}…`
}

const AS_PICTURE = '\uFE0F'
/** Marks, and what joins or directs characters; a soft hyphen takes its column on most terminals. */
const WITHOUT_WIDTH = /^(?:(?!\u00AD)[\p{M}\p{Cf}]|\r)$/u
const WIDE_RANGES = [
  '\\u1100-\\u115F\\u2329\\u232A\\u2E80-\\u303E\\u3041-\\uA4CF\\uA960-\\uA97C\\uAC00-\\uD7A3\\uF900-\\uFAFF',
  '\\uFE10-\\uFE19\\uFE30-\\uFE6F\\uFF00-\\uFF60\\uFFE0-\\uFFE6',
  '\\u{16FE0}-\\u{18DFF}\\u{1AFF0}-\\u{1B2FF}\\u{1D300}-\\u{1D37F}\\u{1F200}-\\u{1F2FF}\\u{1F300}-\\u{1FAFF}',
  '\\u{20000}-\\u{3FFFD}',
].join('')
/** Letters of flags are pictures, too: two of them take two columns together. */
const WIDE = new RegExp(`^(?:[${WIDE_RANGES}]|(?![\\u{1F1E6}-\\u{1F1FF}])\\p{Emoji_Presentation})$`, 'u')

function widthOf(character: string): number {
  if (WITHOUT_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}
