/**
 * Whether a text that was made of another one says something else, by its form: it has names or numbers that the other
 * one has not, denies or excepts something where the other one does not, or has hardly a word of it. In which words it
 * denies, and how a number is written, is all the same. Pure. It is no judge of meaning; what it finds waits for a
 * person.
 */
import { missingIn, stemOf } from './named-substance.ts'
import { DENYING, EXCEPTING, NEGATING } from './negating-words.ts'

/** Of the languages of negating-words.ts. */
export const NEGATIONS = wordsIn(NEGATING)
const DENIALS = wordsIn(DENYING)
const EXCEPTIONS = wordsIn(EXCEPTING, '')

/** As a share of the new text's words. */
const MIN_SHARED = 0.4

/** For people, a clause; null: it says no more than `source`. */
export function otherSubstance(source: string, text: string): string | null {
  const known = source.toLowerCase()
  const missing = missingIn(source, text)
  if (missing !== null) return `"${missing}" is not in what was learned`
  if (has(DENIALS, source) !== has(DENIALS, text)) return 'it has a negation more or less than what was learned'
  if (has(EXCEPTIONS, source) !== has(EXCEPTIONS, text)) return 'it has an exception more or less than what was learned'
  const words = wordsOf(text)
  const shared = words.filter((word) => known.includes(stemOf(word)))
  return shared.length < words.length * MIN_SHARED ? 'it shares hardly a word with what was learned' : null
}

function wordsIn(words: readonly string[], or = "|n['’]t(?!\\p{L})"): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})${or}`, 'giu')
}

function has(words: RegExp, text: string): boolean {
  return withoutQuestion(text).search(words) !== -1
}

/** What an answer negates, or chooses from, is the question; of that it makes a plain fact. */
export function withoutQuestion(text: string): string {
  return text.replace(/^.*\?\s/su, '')
}

/** Of four letters and more; of scripts without spaces each two letters that follow on each other. */
function wordsOf(text: string): string[] {
  const words = (text.match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.toLowerCase())
  return words.flatMap((word) => (WITHOUT_SPACES.test(word) ? pairsOf(word) : [word]))
}

const WITHOUT_SPACES = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/u

function pairsOf(word: string): string[] {
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
}
