/**
 * A text as repetitions are recognised by: two texts with the same normal text say the same. It is stored beside facts,
 * learnings and questions (`norm`), and compared with trigrams in PostgreSQL.
 *
 * What must hold: `normalText(normalText(x)) === normalText(x)`. Signs inside a word and before it stay: C, C++ and C#
 * are three languages, `-5` is not `5`, and `.env` is not `env`.
 */

/** Case, width, white space, quotation marks, brackets around words and the stops after them make no difference. */
export function normalText(text: string): string {
  return foldCase(text.normalize('NFKC'))
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(QUOTES, '')
    .split(SPACES)
    .map((word) => word.replace(BEFORE_WORD, '').replace(AFTER_WORD, ''))
    .filter((word) => word !== '' && !DASHES.test(word))
    .join(' ')
}

/**
 * By way of upper case, so that ß, ẞ and SS are the same (ẞ has to be ß first); a Greek sigma is the same wherever it
 * stands.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const QUOTES = /["'`´\p{Pi}\p{Pf}]/gu
const SPACES = /[\s\p{Cc}]+/u
const BEFORE_WORD = /^[\p{Ps}\p{Pe}¿¡]+/u
const AFTER_WORD = /[\p{Ps}\p{Pe}.,;:!?¿¡…。、，！？；：]+$/u
const DASHES = /^\p{Pd}+$/u
