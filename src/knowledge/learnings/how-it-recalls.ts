/**
 * How a text contains a fact that stood in the prompt. A model that was shown a fact says it again, in a sentence of
 * its own: "As already known, …". Pure; both are normal texts (core/text/normal-text.ts).
 *
 * What must hold: when in doubt, `within`. "Approved by Ann or Bob" contains "approved by Ann", and says something
 * else.
 */
import { RECALLING } from './recalling-words.ts'

/** `merely`: beside the fact there is nothing but words that recall it. `within`: there is more. */
export type Recall = 'merely' | 'within'

/** Null: it does not contain the fact. */
export function howItRecalls(text: string, fact: string): Recall | null {
  if (fact === '') return null
  const at = ` ${text} `.indexOf(` ${fact} `)
  if (at < 0) return null
  const rest = `${text.slice(0, at)} ${text.slice(at + fact.length)}`.split(' ').filter((word) => word !== '')
  return rest.every((word) => RECALLING.has(word.replace(STOPS, ''))) ? 'merely' : 'within'
}

const STOPS = /^\p{P}+|\p{P}+$/gu
