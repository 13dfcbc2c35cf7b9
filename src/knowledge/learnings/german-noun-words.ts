/**
 * Words that a German text writes with a capital letter as they are nouns, and that are no names by that: behind an
 * article, with or without adjectives, or with the ending of a noun. Pure. What is a noun by its place alone ("auf
 * Port") cannot be told from a name ("von Grace"), and counts as one.
 */

/** In lower case; none where the text is not German. */
export function germanNouns(text: string): ReadonlySet<string> {
  if (new Set(matches(GERMAN, text)).size < 2) return NONE
  return new Set([...matches(AFTER_ARTICLE, text), ...matches(WITH_ENDING, text)])
}

const NONE: ReadonlySet<string> = new Set()

/** Two different ones of these no sentence of another language has. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|dem|den|ist|sind|wird|werden|wurde|und|nicht|von|auf|mit|für|im|zum|zur|vom|beim|ein|eine|einen|einem|einer|hat|nach|bei|nur|aus|über)(?!\p{L})/giu

const ARTICLES =
  '[Dd]er|[Dd]ie|[Dd]as|[Dd]em|[Dd]en|[Dd]es|[Ee]in|[Ee]ine[nmrs]?|[Ii]m|[Aa]m|[Zz]um|[Zz]ur|[Vv]om|[Bb]eim|[Ii]ns|[Aa]ns|[Kk]ein(?:e[nmrs]?)?|[Jj]ede[nmrs]?|[Dd]iese[nmrs]?|[Aa]lle[nr]?|[Mm]ein(?:e[nmrs]?)?|[Dd]ein(?:e[nmrs]?)?|[Ss]ein(?:e[nmrs]?)?|[Ii]hr(?:e[nmrs]?)?|[Uu]nser(?:e[nmrs]?)?'
const ADJECTIVES = '(?:\\p{Ll}{3,}(?:e|en|em|er|es) ){0,2}'

const AFTER_ARTICLE = new RegExp(`(?<!\\p{L})(?:${ARTICLES}) ${ADJECTIVES}(\\p{Lu}[\\p{L}\\p{N}]+)`, 'gu')
const WITH_ENDING =
  /(?<!\p{L})(\p{Lu}\p{L}{3,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten))(?!\p{L})/gu

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([whole, noun = whole]) => noun.toLowerCase())
}
