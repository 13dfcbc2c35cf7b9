/**
 * How a text contains a fact that stood in the prompt. A model that was shown a fact says it again, in a sentence of
 * its own: "As already known, …". Pure; both are normal texts (core/text/normal-text.ts).
 *
 * What must hold: when in doubt, `within`. "Approved by Ann or Bob" contains "approved by Ann", and says something
 * else.
 */

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

/**
 * Words by which a text recalls what is known, in English, German, French, Spanish and Italian. No word here narrows,
 * widens or denies what it stands beside.
 */
const RECALLING: ReadonlySet<string> = new Set(
  [
    'as already known noted stated mentioned established recorded remembered confirmed before earlier previously again',
    'we i is was it that this fact facts known-fact recall remember note reminder the to be and so of course per memory',
    'wie bereits schon bekannt erwähnt festgehalten vermerkt gesagt notiert bestätigt es ist dass das der die zur',
    'erinnerung fakt nochmals',
    'comme déjà connu dit noté mentionné indiqué rappel il est que le la fait confirmé précédemment',
    'como ya se sabe sabido dicho mencionado indicado recordatorio es que el hecho confirmado anteriormente',
    'come già noto detto indicato menzionato promemoria è che il fatto confermato',
  ]
    .join(' ')
    .split(' '),
)
