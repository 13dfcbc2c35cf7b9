/**
 * Whether a text that was made of another one says something else, by its form: it has names or numbers that the other
 * one has not, denies or excepts something where the other one does not, or has hardly a word of it. In which words it
 * denies, and how a number is written, is all the same. Pure. It is no judge of meaning; what it finds waits for a
 * person.
 */
import { COUNTING } from './counting-words.ts'
import { DENYING, EXCEPTING, NEGATING } from './negating-words.ts'

/** Also of versions and times. */
export const NUMBERS = /\d+(?:[.,:]\d+)*/gu
/** Words that begin with a capital letter and no sentence. */
export const NAMES = /(?<=[\p{L}\p{N},;)]\s+)\p{Lu}[\p{L}\p{N}]+/gu
/** Of the languages of negating-words.ts. */
export const NEGATIONS = wordsIn(NEGATING)
const DENIALS = wordsIn(DENYING)
const EXCEPTIONS = wordsIn(EXCEPTING, '')

/** As a share of the new text's words. */
const MIN_SHARED = 0.4
/** Letters that forms of a word have in common. */
const STEM_CHARS = 5

/** For people, a clause; null: it says no more than `source`. */
export function otherSubstance(source: string, text: string): string | null {
  const known = source.toLowerCase()
  const numbers = numbersOf(known)
  const number = [...text.matchAll(NUMBERS)].find(([one]) => !hasNumber(numbers, one))?.[0]
  if (number !== undefined) return `"${number}" is not in what was learned`
  const name = [...text.matchAll(NAMES)].find(([one]) => !known.includes(stem(one)))?.[0]
  if (name !== undefined) return `"${name}" is not in what was learned`
  if (has(DENIALS, source) !== has(DENIALS, text)) return 'it has a negation more or less than what was learned'
  if (has(EXCEPTIONS, source) !== has(EXCEPTIONS, text)) return 'it has an exception more or less than what was learned'
  const words = wordsOf(text)
  const shared = words.filter((word) => known.includes(stem(word)))
  return shared.length < words.length * MIN_SHARED ? 'it shares hardly a word with what was learned' : null
}

function wordsIn(words: readonly string[], or = "|n['’]t(?!\\p{L})"): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})${or}`, 'giu')
}

/** 10,000 and the like in other languages. */
const GROUPED = /^\d{1,3}(?:[.,' \u00a0\u2009\u202f]\d{3})+$/u

function numbersOf(known: string): ReadonlySet<string> {
  const spelt = (known.match(/\p{L}+/gu) ?? []).flatMap((word) =>
    COUNTING.flatMap((words) => (words.includes(word) ? [String(words.indexOf(word) + 1)] : [])),
  )
  const grouped = known.match(/\d{1,3}(?:[' \u00a0\u2009\u202f]\d{3})+(?!\d)/gu) ?? []
  return new Set([...[...known.matchAll(NUMBERS)].map(([one]) => one), ...grouped, ...spelt].flatMap(waysOf))
}

/** As it is written, and without what groups its digits. */
function waysOf(number: string): string[] {
  return GROUPED.test(number) ? [number, number.replaceAll(/\D/gu, '')] : [number]
}

/** Or one that it is the beginning of, as 3.12 is of 3.12.2. */
function hasNumber(known: ReadonlySet<string>, number: string): boolean {
  return waysOf(number).some((one) => known.has(one)) || [...known].some((one) => one.startsWith(`${number}.`))
}

/** What an answer negates is the question; of that it makes a plain fact. */
function has(words: RegExp, text: string): boolean {
  return text.replace(/^.*\?\s/su, '').search(words) !== -1
}

const stem = (word: string): string => word.toLowerCase().slice(0, STEM_CHARS)

/** Of four letters and more; of scripts without spaces each two letters that follow on each other. */
function wordsOf(text: string): string[] {
  const words = (text.match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.toLowerCase())
  return words.flatMap((word) => (WITHOUT_SPACES.test(word) ? pairsOf(word) : [word]))
}

const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/u

function pairsOf(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
}
