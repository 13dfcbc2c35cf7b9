/** How many columns of a terminal a text takes, colours left out: East Asian characters and emoji take two. */
import { stripVTControlCharacters } from 'node:util'

export function textWidth(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) width += widthOf(character)
  return width
}

const COMBINING = /^\p{M}$/u
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]$/u

function widthOf(character: string): number {
  if (COMBINING.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}
