/**
 * Words by which a text recalls what is known, in English, German, French, Spanish and Italian. No word here narrows,
 * widens or denies what it stands beside.
 */
export const RECALLING: ReadonlySet<string> = new Set(
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
