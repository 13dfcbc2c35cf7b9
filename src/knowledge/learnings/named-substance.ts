/**
 * Which numbers and names a text has, and whether another one has them as well: the one rule for what may not be added
 * (other-substance.ts) and what may not be lost (lost-detail.ts), by what is promoted and by what is merged. In which
 * way a number is written is all the same: 10,000, 10.000, 10 000 and 10000; seven and 7. Pure.
 */
import { ALSO_OTHER_WORDS, COUNTING } from './counting-words.ts'
import { OPENING } from './opening-words.ts'

/** Words in capitals, also at the beginning of a sentence: "Bob approves releases". */
const NAMES = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]+/gu
/** Also of versions and times; with digits grouped by spaces or apostrophes, one number or several. */
const NUMBERS = /\d{1,3}(?:[' \u00a0\u2009\u202f]\d{3})+(?![\d.,:]\d|\d)|\d+(?:[.,:]\d+)*/gu
const GROUPED = /^\d{1,3}(?:[.,' \u00a0\u2009\u202f]\d{3})+$/u
const BETWEEN_GROUPS = /[' \u00a0\u2009\u202f]/u
/** Letters that forms of a word have in common. */
const STEM_CHARS = 5

/**
 * A number or a name that `text` has and `known` has not, as it is written; null: there is none. `nouns`: words, in
 * lower case, that are no names although they begin with a capital letter.
 */
export function missingIn(known: string, text: string, nouns: ReadonlySet<string> = new Set()): string | null {
  const numbers = numbersOf(known)
  const number = writtenNumbers(text).find((one) => !hasNumber(numbers, one))
  if (number !== undefined) return number
  const folded = known.toLowerCase()
  return namesOf(text).find((one) => !nouns.has(one.toLowerCase()) && !folded.includes(stemOf(one))) ?? null
}

export const stemOf = (word: string): string => word.toLowerCase().slice(0, STEM_CHARS)

function namesOf(text: string): string[] {
  return [...text.matchAll(NAMES)].flatMap(([one]) => (OPENING.has(one.toLowerCase()) ? [] : [one]))
}

function writtenNumbers(text: string): string[] {
  const spelt = (text.match(/\p{L}+/gu) ?? []).filter((word) => {
    const folded = word.toLowerCase()
    return !ALSO_OTHER_WORDS.has(folded) && COUNTING.some((words) => words.includes(folded))
  })
  return [...[...text.matchAll(NUMBERS)].map(([one]) => one), ...spelt]
}

interface KnownNumbers {
  /** Each on its own. */
  readonly whole: ReadonlySet<string>
  /** Of those whose digits stand in groups, which may be several numbers. */
  readonly parts: ReadonlySet<string>
}

function numbersOf(text: string): KnownNumbers {
  const spelt = (text.match(/\p{L}+/gu) ?? []).flatMap((word) => countedBy(word.toLowerCase()))
  const written = [...text.matchAll(NUMBERS)].map(([one]) => one)
  return { whole: new Set([...written.flatMap(waysOf), ...spelt]), parts: new Set(written.flatMap(partsOf)) }
}

/** One that is meant by a word; a word may count differently in two languages. */
function countedBy(word: string): string[] {
  return COUNTING.flatMap((words) => (words.includes(word) ? [String(words.indexOf(word) + 1)] : []))
}

/** As it is written, and without what groups its digits. */
function waysOf(number: string): string[] {
  return GROUPED.test(number) ? [number, number.replaceAll(/\D/gu, '')] : [number]
}

/** "80 443" may be two ports. */
function partsOf(number: string): string[] {
  return BETWEEN_GROUPS.test(number) ? number.split(BETWEEN_GROUPS) : []
}

/**
 * Or one that it is the beginning of, as 3.12 is of 3.12.2; and 10 is not of 10.000. The groups of one are not looked
 * for among those of another: 99 998 998 would be found in 99 999 998.
 */
function hasNumber({ whole, parts }: KnownNumbers, number: string): boolean {
  const ways = /\d/u.test(number) ? waysOf(number) : countedBy(number.toLowerCase())
  if (ways.some((one) => whole.has(one) || parts.has(one))) return true
  const own = partsOf(number)
  if (own.length > 0 && own.every((one) => whole.has(one))) return true
  return [...whole, ...parts].some((one) => !GROUPED.test(one) && one.startsWith(`${number}.`))
}
