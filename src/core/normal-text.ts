/**
 * A text as repetitions are recognised by: two texts with the same normal text say the same. It is stored beside facts,
 * learnings and questions (`norm`), and compared with trigrams in PostgreSQL.
 */

/** Case, width, white space, quotation marks and the stops at the end make no difference; every other sign does. */
export function normalText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/["'`‘’“”«»]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replace(/[\s.!。]+$/u, '')
    .trim()
}
