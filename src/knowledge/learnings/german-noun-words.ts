/**
 * Words that a German text writes with a capital letter as they are nouns, and that are no names by that: behind an
 * article, with or without adjectives, with the ending of a noun, or behind a preposition where they stand for a kind
 * of thing ("auf Port"). Pure. Behind "von" and "durch", which say by whom, every other word counts as a name.
 */
import { isCommonNoun } from './german-common-words.ts'

/** In lower case; none where the text is not German. */
export function germanNouns(text: string): ReadonlySet<string> {
  if (new Set(matches(GERMAN, text)).size < 2) return NONE
  const things = matches(AFTER_PREPOSITION, text).filter(isCommonNoun)
  return new Set([...matches(AFTER_ARTICLE, text), ...matches(WITH_ENDING, text), ...things])
}

const NONE: ReadonlySet<string> = new Set()

/** Two different ones of these no sentence of another language has. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|dem|den|ist|sind|wird|werden|wurde|und|nicht|von|auf|mit|für|im|zum|zur|vom|beim|ein|eine|einen|einem|einer|hat|nach|bei|nur|aus|über|ohne|neben|zwischen|unter|hinter|gegen|seit|während|wegen)(?!\p{L})/giu

const ARTICLES =
  '[Dd]er|[Dd]ie|[Dd]as|[Dd]em|[Dd]en|[Dd]es|[Ee]in|[Ee]ine[nmrs]?|[Ii]m|[Aa]m|[Zz]um|[Zz]ur|[Vv]om|[Bb]eim|[Ii]ns|[Aa]ns|[Kk]ein(?:e[nmrs]?)?|[Jj]ede[nmrs]?|[Dd]iese[nmrs]?|[Aa]lle[nr]?|[Mm]ein(?:e[nmrs]?)?|[Dd]ein(?:e[nmrs]?)?|[Ss]ein(?:e[nmrs]?)?|[Ii]hr(?:e[nmrs]?)?|[Uu]nser(?:e[nmrs]?)?'
const ADJECTIVES = '(?:\\p{Ll}{3,}(?:e|en|em|er|es) ){0,2}'

const AFTER_ARTICLE = new RegExp(`(?<!\\p{L})(?:${ARTICLES}) ${ADJECTIVES}(\\p{Lu}[\\p{L}\\p{N}]+)`, 'gu')
const PREPOSITIONS =
  `ab an auf aus außer bei bis für gegen gemäß hinter in innerhalb je laut mit nach neben ohne per pro
  seit statt trotz über um unter vor während wegen zu zwischen`.split(/\s+/)
const ANY_CASE = PREPOSITIONS.map((one) => `[${one.slice(0, 1).toUpperCase()}${one.slice(0, 1)}]${one.slice(1)}`)
const AFTER_PREPOSITION = new RegExp(`(?<!\\p{L})(?:${ANY_CASE.join('|')}) ${ADJECTIVES}(\\p{Lu}[\\p{L}\\p{N}]+)`, 'gu')
const WITH_ENDING =
  /(?<!\p{L})(\p{Lu}\p{L}{3,}(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten))(?!\p{L})/gu

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([whole, noun = whole]) => noun.toLowerCase())
}
