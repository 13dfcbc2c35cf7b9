/** A word of a command line as bash will see it, as far as that can be known before bash runs. */
import type { Assignment, HereDocBody, Word, WordPart } from 'unbash'

/**
 * Stands in a text for the home directory, however it was spelled (`~`, `$HOME`, `${HOME}`). A command itself has no
 * NUL: the deny list refuses it.
 */
export const HOME_MARK = '\0'
/** Stands in a text for what only bash will know. */
const UNKNOWN = '$()'

/** Where `isKnown` is false, `text` holds placeholders and must not be compared as a whole. */
export interface ShellWord {
  /** Without quotes. Braces and patterns stand as they are written. */
  readonly text: string
  /** Nothing of the text is left to bash. `$HOME` is: a line may give it another value. */
  readonly isKnown: boolean
  /** It is one word, whatever bash makes of it: what is unknown stands between double quotes. */
  readonly isOne: boolean
  /** Names of files, if some fit: it has a `*`, a `?` or a `[…]` without quotes. */
  readonly isPattern: boolean
}

/** A word without quotes, substitutions or patterns. */
export function wordOf(text: string): ShellWord {
  return { text, isKnown: true, isOne: true, isPattern: false }
}

/** As bash takes it apart, before any expansion. */
export function readWord(word: Pick<Word, 'text' | 'value' | 'parts'>): ShellWord {
  const read = word.parts === undefined ? wordOf(word.value) : joinPieces(word.parts.map(readPart))
  const tilde = /^~[\w.+-]*(?=\/|$)/.exec(word.text)?.[0]
  return tilde === undefined ? read : { ...read, text: HOME_MARK + read.text.slice(tilde.length) }
}

/** `export X=1` and `alias x=y` have assignments for arguments. */
export function readAssignmentWord(assignment: Assignment): ShellWord {
  const { name, append, index, value } = assignment
  const target = `${name}${index === undefined ? '' : `[${index.text}]`}${append === true ? '+=' : '='}`
  const read = value.type === 'Word' ? readWord(value) : { ...wordOf(UNKNOWN), isKnown: false }
  return { ...read, text: target + read.text, isKnown: read.isKnown && index === undefined }
}

/** `parts` undefined: nothing in it is substituted. */
export function readHereDocument({ text, parts }: Pick<HereDocBody, 'text' | 'parts'>): ShellWord {
  return parts === undefined ? wordOf(text) : joinPieces(parts.map(readQuotedPart))
}

function joinPieces(pieces: readonly ShellWord[]): ShellWord {
  return {
    text: pieces.map(({ text }) => text).join(''),
    isKnown: pieces.every(({ isKnown }) => isKnown),
    isOne: pieces.every(({ isOne }) => isOne),
    isPattern: pieces.some(({ isPattern }) => isPattern),
  }
}

function readPart(part: WordPart): ShellWord {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return wordOf(part.value)
    case 'DoubleQuoted':
    case 'LocaleString':
      return joinPieces(part.parts.map(readQuotedPart))
    case 'Glob':
    case 'ExtendedGlob':
      return { text: part.text, isKnown: part.parts === undefined, isOne: false, isPattern: true }
    case 'BraceExpansion':
      return { text: part.text, isKnown: false, isOne: false, isPattern: false }
    case 'ProcessSubstitution':
    case 'ArithmeticExpansion':
      return { text: UNKNOWN, isKnown: false, isOne: true, isPattern: false }
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
      return { text: valueOf(part), isKnown: false, isOne: false, isPattern: false }
    default:
      return part satisfies never
  }
}

/** Between double quotes and in a here-document only `$@` and whole arrays become several words. */
function readQuotedPart(part: WordPart): ShellWord {
  const read = readPart(part)
  const isMany = /^\$(?:@|\{[^}]*@)/.test(part.text)
  return { ...read, isOne: !isMany, isPattern: false }
}

function valueOf(part: WordPart): string {
  if (part.type === 'SimpleExpansion') return part.text === '$HOME' ? HOME_MARK : part.text
  return part.type === 'ParameterExpansion' && part.parameter === 'HOME' ? HOME_MARK : UNKNOWN
}
