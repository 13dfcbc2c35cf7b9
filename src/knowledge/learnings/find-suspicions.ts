/**
 * What a text looks like that must not become a fact without a person, by its form alone; the table is
 * suspicion-words.ts. Pure. Called for what was learned, and for what the curator makes of it. It holds, and never
 * refuses: "a cache may be flushed" and "you may flush the cache" differ by what a person knows.
 */
import type { Suspicion } from '../../core/status.ts'
import { normalText } from '../../core/text/normal-text.ts'
import { secretsByForm } from '../../secrets/forms/secret-forms.ts'
import { SECRET_CUES, SECRET_VERBS, SUSPICIOUS } from './suspicion-words.ts'

/** In the order of the table; empty: nothing. */
export function findSuspicions(text: string): Suspicion[] {
  const norm = ` ${normalText(text)} `
  const clauses = text.split(CLAUSE_ENDS).map((clause) => `${normalText(clause)} `)
  const found = RULES.filter(
    ({ begins, anywhere }) =>
      anywhere?.test(norm) === true || (begins !== null && clauses.some((clause) => begins.test(clause))),
  ).map(({ flag }) => flag)
  return [...new Set([...found, ...(mayHoldSecret(text, norm) ? (['SECRET'] as const) : [])])]
}

const CLAUSE_ENDS = /[,.;:!?…]+(?:\s|$)|\n|\s[-–—]+\s|["“”„«»]/u

const RULES = Object.entries(SUSPICIOUS).flatMap(([flag, languages]) =>
  Object.values(languages).map(({ begins, anywhere }) => ({
    flag: flag as Suspicion,
    begins: begins === undefined ? null : new RegExp(`^(?:${begins})`, 'u'),
    anywhere: anywhere === undefined ? null : new RegExp(` (?:${anywhere}) `, 'u'),
  })),
)

/** Something is said of a password, or a word looks drawn by lot. */
function mayHoldSecret(text: string, norm: string): boolean {
  if (secretsByForm(text).length > 0 || CUED.test(norm) || GIVEN.test(text.toLowerCase())) return true
  return text.split(/[\s"'`*()[\]{}<>,;]+|[.!?](?:\s|$)/u).some(looksDrawn)
}

const CUED = new RegExp(
  `(?: |^)(?:${SECRET_CUES})(?: [^ ]+){0,5}? (?:${SECRET_VERBS}) |(?:${SECRET_CUES})(?:=|:|/)`,
  'u',
)

/** Such as "the API key of the shop: …"; a word that is short or a sentence that follows is none. */
const GIVEN = new RegExp(
  `(?:${SECRET_CUES})(?:[ \\t]+[^\\s:=]+){0,5}[ \\t]*[:=][ \\t]*[\\p{L}\\d_./+-]{10,}[.!]?$`,
  'mu',
)

/** Letters of both cases and digits in one long word, or letters and digits that change often. Digests are none. */
function looksDrawn(word: string): boolean {
  if (word.length < 12 || word.includes('://') || /^[0-9a-f]+$/.test(word) || UUID.test(word)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d._/:-]/].filter((kind) => kind.test(word)).length
  const changes = [...word.matchAll(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)].length
  return kinds >= 3 || changes >= 4
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
