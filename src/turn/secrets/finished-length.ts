/** What is said together of a text that comes in pieces. */
export type Unit = 'LINES' | 'WORDS'

/** What ends one. Scripts without spaces have words of one character. */
const ENDS: Readonly<Record<Unit, RegExp>> = {
  LINES: /[\n\r]/,
  WORDS: /[\s\u2e80-\u9fff\uff00-\uff65]/,
}

/** Of a unit without end so much counts as unfinished: more than any secret has in almost any form. */
export const MAX_UNFINISHED_CHARS = 16_384

/** The length of the units of `text` that are finished, with their ends; 0: none is. */
export function finishedLength(text: string, unit: Unit): number {
  for (let place = text.length; place > 0; place--) if (ENDS[unit].test(text.charAt(place - 1))) return place
  return 0
}
