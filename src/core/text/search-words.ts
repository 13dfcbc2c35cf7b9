/**
 * What a search of conversations asks for: words as in web search, each of which may be a part of a longer one, since
 * many languages put no spaces between words. The database compares by `search_plain`, without case, width and accents.
 */

/** One alternative: all of `words` are in the text, and none of `without`. */
export interface WantedWords {
  readonly words: readonly string[]
  readonly without: readonly string[]
}

const PARTS = /(?<minus>-?)"(?<quoted>[^"]*)"?|(?<word>\S+)/gu

/** The alternatives between which "or" stands. Those that name no word to be found are left out: they exclude only. */
export function readSearchWords(search: string): readonly WantedWords[] {
  const alternatives: { words: string[]; without: string[] }[] = [{ words: [], without: [] }]
  for (const { groups } of search.matchAll(PARTS)) {
    const { minus = '', quoted, word = '' } = groups ?? {}
    if (quoted === undefined && word.toLowerCase() === 'or') {
      alternatives.push({ words: [], without: [] })
      continue
    }
    const isWithout = minus === '-' || (quoted === undefined && /^-./u.test(word))
    const text = (quoted ?? (isWithout ? word.slice(1) : word)).trim()
    if (text !== '') alternatives.at(-1)?.[isWithout ? 'without' : 'words'].push(text)
  }
  return alternatives.filter(({ words }) => words.length > 0)
}
