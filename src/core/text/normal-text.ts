/**
 * A text as repetitions are recognised by: two texts with the same normal text say the same. It is stored beside facts,
 * learnings and questions (`norm`), and compared with trigrams in PostgreSQL.
 *
 * What must hold: `normalText(normalText(x)) === normalText(x)`. Signs inside a word and before it stay: C, C++ and C#
 * are three languages, `-5` is not `5`, and `.env` is not `env`.
 */

/**
 * Case, width, white space, Markdown, emoji, kinds of hyphen and quotation marks, letters that look alike, brackets
 * around words and the stops after them make no difference. For texts of bounded length: the time that it takes grows
 * with the square of it.
 */
export function normalText(text: string): string {
  const folded = foldSigns(withoutLineMarks(text.replaceAll(LINK, LINKED)))
  let left = folded
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = foldSigns(withoutLineMarks(withoutEmphasis(left)))
    if (next === left) return left
    left = next
  }
  // Marks nested so deeply are no Markdown.
  return folded
}

const MAX_PASSES = 8

function foldSigns(text: string): string {
  const words = foldCase(text.normalize('NFKC'))
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(EMOJI, (sign) => (SAYING.has(sign) ? sign : ' '))
    .replaceAll(LONG_DASHES, ' ')
    .replaceAll(HYPHENS, '-')
    .replaceAll(QUOTES, '')
    .split(SPACES)
    .map((word) => word.replace(BEFORE_WORD, '').replace(AFTER_WORD, ''))
    .filter((word) => word !== '' && !BULLETS.test(word))
  return foldLookalikes(words).join(' ')
}

/** Bullets and quotations; other marks of lines go as words. A number at the beginning may be what a line says. */
function withoutLineMarks(text: string): string {
  return text.replaceAll(LINE_MARKS, '')
}

/** Pairs of marks around words, and links: `*.ts`, `**kwargs` and `__init__` are names. */
function withoutEmphasis(text: string): string {
  return text.replaceAll(EMPHASIS, '$<said>').replaceAll(LINK, LINKED)
}

/**
 * A Cyrillic or Greek letter in a text with Latin ones may only look like a Latin one. Short words stay as they are:
 * they are units and variables.
 */
function foldLookalikes(words: readonly string[]): readonly string[] {
  if (!words.some((word) => LATIN.test(word))) return words
  return words.map((word) => {
    const others = [...word.matchAll(OTHER_SCRIPT)].map(([letter]) => letter)
    if (others.length === 0 || word.length < 3 || !others.every((letter) => LOOKALIKES.has(letter))) return word
    return word.replaceAll(OTHER_SCRIPT, (letter) => LOOKALIKES.get(letter) ?? letter)
  })
}

/**
 * By way of upper case, so that ß, ẞ and SS are the same (ẞ has to be ß first), and i, ı and İ (whose lower case has a
 * dot of its own); a Greek sigma is the same wherever it stands.
 */
function foldCase(text: string): string {
  return text
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll(/i\u0307+/gu, 'i')
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const QUOTES = /["'`´\p{Pi}\p{Pf}]/gu
const SPACES = /[\s\p{Cc}]+/u
const BEFORE_WORD = /^[\p{Ps}\p{Pe}¿¡]+/u
const AFTER_WORD = /[\p{Ps}\p{Pe}.,;:!?¿¡…。、，！？；：]+$/u
const BULLETS = /^(?:\p{Pd}+|#{1,6}|[•‣◦]+)$/u
const HYPHENS = /[\u2010-\u2013\u2212\u{10eac}]/gu
const LONG_DASHES = /[\u2014\u2015\u2e3a\u2e3b]/gu
const EMOJI = /\p{Emoji_Presentation}/gu
/** Flags, ticks, crosses and lights say something: "TLS 1.0 ✅" is not "TLS 1.0 ❌". */
const SAYING = new Set(
  Array.from('✅❌❎⛔🚫➕➖➗👍👎🆗🔒🔓🔴🟠🟡🟢🔵🟣⚫⚪🟥🟧🟨🟩🟦⬆⬇⏸').concat(
    Array.from({ length: 26 }, (_, n) => String.fromCodePoint(0x1f1e6 + n)),
  ),
)
const LINE_MARKS = /^(?:\s*\*\s+|\s*>\s+(?=\p{L}))+/gmu
const BEGIN = String.raw`(?<=^|[\s([])`
const END = String.raw`(?=$|[\s.,;:!?)\]…])`
const SAID = String.raw`(?=[^\s*~_])(?<said>[^*~]*?[^\s*~_]|[^\s*~_])`
const EMPHASIS = new RegExp(String.raw`${BEGIN}(?<mark>\*{1,3}|~~|_(?!_))${SAID}\k<mark>${END}`, 'gmu')
const LINK = /\[(?<said>[^[\]()]+)\]\((?<target>[^\s()]+)\)/gu
const LINKED = '$<said> $<target> '
const LATIN = /\p{Script=Latin}/u
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu
/** Lower-case letters, and those whose capitals look like Latin ones; μ is a unit, and never an m. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...pairs(`авеікмнорстухѕјһԁԛԝ`, `abeikmhopctyxsjhdqw`),
  ...pairs(`αεικορτυχ`, `aeikoptyx`),
])

function pairs(from: string, to: string): [string, string][] {
  return Array.from(from, (letter, index) => [letter, to.charAt(index)])
}
