/**
 * Whether a text that was made of another one says something else, by its form: it has names or numbers that the other
 * one has not, a negation more or less, or hardly a word of it. Pure. It is no judge of meaning; what it finds waits
 * for a person.
 */
import { NEGATING } from './negating-words.ts'

/** Also of versions and times. */
export const NUMBERS = /\d+(?:[.,:]\d+)*/gu
/** Words that begin with a capital letter and no sentence. */
export const NAMES = /(?<=[\p{L}\p{N},;)]\s+)\p{Lu}[\p{L}\p{N}]+/gu
/** Of the languages of negating-words.ts. */
export const NEGATIONS = new RegExp(`(?<!\\p{L})(?:${NEGATING.join('|')})(?!\\p{L})|n['’]t(?!\\p{L})`, 'giu')

/** As a share of the new text's words. */
const MIN_SHARED = 0.4
/** Letters that forms of a word have in common. */
const STEM_CHARS = 5

/** For people, a clause; null: it says no more than `source`. */
export function otherSubstance(source: string, text: string): string | null {
  const known = source.toLowerCase()
  const number = [...text.matchAll(NUMBERS)].find(([one]) => !hasNumber(known, one))?.[0]
  if (number !== undefined) return `"${number}" is not in what was learned`
  const name = [...text.matchAll(NAMES)].find(([one]) => !known.includes(stem(one)))?.[0]
  if (name !== undefined) return `"${name}" is not in what was learned`
  if (isNegated(source) !== isNegated(text)) return 'it has a negation more or less than what was learned'
  const words = wordsOf(text)
  const shared = words.filter((word) => known.includes(stem(word)))
  return shared.length < words.length * MIN_SHARED ? 'it shares hardly a word with what was learned' : null
}

/** Or one that it is the beginning of, as 3.12 is of 3.12.2. */
function hasNumber(known: string, number: string): boolean {
  return [...known.matchAll(NUMBERS)].some(([one]) => one === number || one.startsWith(`${number}.`))
}

/** What an answer negates is the question; of that it makes a plain fact. */
function isNegated(text: string): boolean {
  return [...text.replace(/^.*\?\s/su, '').matchAll(NEGATIONS)].length > 0
}

const stem = (word: string): string => word.toLowerCase().slice(0, STEM_CHARS)

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.toLowerCase())
}
