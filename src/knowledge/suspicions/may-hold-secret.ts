/**
 * Whether a text looks as if it held a secret: one that has a form, something that is said of a password, a number or a
 * word that opens something, or a word that looks drawn by lot. Pure.
 */
import { secretsByForm } from '../../secrets/forms/secret-forms.ts'
import { hasBuiltSecret } from './built-secrets.ts'
import { ENTERING, KNOWING, OPENING, SECRET_CUES, SECRET_VERBS, SHORT_CUES } from './secret-words.ts'

/** `norm`: its normal text, between blanks. */
export function mayHoldSecret(text: string, norm: string): boolean {
  const folded = text.toLowerCase()
  if (secretsByForm(text).length > 0 || CUED.test(norm) || GIVEN.test(folded) || PLAIN.test(folded)) return true
  if (hasBuiltSecret(text) || KNOWS.test(norm)) return true
  const words = text.split(/[\s"'`*()[\]{}<>,;]+|[.!?](?=[\s*_"'`)]|$)/u)
  if (words.some(isDrawn)) return true
  if (OPENS.test(norm) && (QUOTED.test(text) || words.some((word) => CODE.test(word)))) return true
  return (
    ENTERS.test(norm) &&
    text
      .replaceAll(/[*_`]+/g, '')
      .split(/\s+/u)
      .some((word) => UNUSUAL.test(word))
  )
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

/** Behind a short cue, in an address, on a command line or in a header. */
const PLAIN = new RegExp(
  [
    `(?<!\\p{L})(?:${SHORT_CUES})[ \\t]*[:=][ \\t]*\\S{3,}`,
    '://[^/\\s:@]+:[^/\\s@]+@',
    ' -p[^\\s=-]{4,}',
    '(?<!\\p{L})(?:basic|bearer) [\\w+/.=-]{10,}',
  ].join('|'),
  'u',
)

const OPENS = new RegExp(` (?:${OPENING}) `, 'u')
const KNOWS = new RegExp(` (?:${KNOWING}) `, 'u')
const ENTERS = new RegExp(` (?:${ENTERING}) `, 'u')
const QUOTED = /["“„«][^"“”„«»]{3,}["”“»]/u
/** A number of four digits and more, with or without signs in it, or letters among digits; no time, no version. */
const CODE = /^(?=(?:\D*\d){4})[\d#*-]+$|^(?=.*\p{L})(?=(?:\D*\d){3})[\p{L}\d#*]{4,12}$/u
/** Words and numbers in one, as no host is called: with a mark, or of two words. */
const UNUSUAL = /^(?=.*\p{L})(?=.*\d)[^\s.:/@]*(?:[!#$%&*+?]|\p{L}-\p{L}*-?\d+[.,]?$|\p{L}{5,}-\d+[.,]?$)/u

/** Letters of both cases and digits in one long word, or letters and digits that change often. Digests are none. */
function isDrawn(word: string): boolean {
  if (word.length < 12 || word.includes('://') || /^[0-9a-f]+$/.test(word) || UUID.test(word)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d._/:-]/].filter((kind) => kind.test(word)).length
  const changes = [...word.matchAll(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)].length
  return kinds >= 3 || changes >= 4
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
