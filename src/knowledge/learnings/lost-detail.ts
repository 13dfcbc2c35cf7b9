/**
 * What a text that is to stand for another one leaves out of it, by its form: a name, a number, a word with signs such
 * as a path or a version, a word that narrows it. Pure.
 */
import { germanNouns } from './german-noun-words.ts'
import { missingIn } from './named-substance.ts'
import { NARROWING } from './narrowing-words.ts'

/** Words with signs or digits in them: paths, versions, keys. */
const SIGNED =
  /[\p{L}\p{N}/~.][\p{L}\p{N}]*(?:[-_./@:\\#+=]+[\p{L}\p{N}]+)+|\p{L}+\p{N}[\p{L}\p{N}]*|\p{N}+\p{L}[\p{L}\p{N}]*/gu
/** Of these the other rule knows the ways to write them. */
const NUMBER = /^[\d.,:]+$/u
const NARROWS = new RegExp(`(?<!\\p{L})(?:${NARROWING.join('|')})(?!\\p{L})`, 'giu')

/**
 * For people, a clause: what is lost first; null: nothing. `replaced`: in whose place the text comes; the names and
 * numbers of that may go ("moved from port 80 to 81").
 */
export function lostDetail(source: string, text: string, replaced = ''): string | null {
  const known = `${text} ${replaced}`
  const kept = known.toLowerCase()
  const narrowed = matches(NARROWS, text.toLowerCase())
  const lost =
    missingIn(known, source, germanNouns(source)) ??
    matches(SIGNED, source).find((one) => !NUMBER.test(one) && !kept.includes(one.toLowerCase())) ??
    matches(NARROWS, source).find((one) => !narrowed.includes(one.toLowerCase()))
  return lost === undefined ? null : `"${lost}" is lost`
}

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([one]) => one)
}
