/** How a form of secrets is described; secret-forms.ts finds texts of these forms. */
import type { Span } from '../encodings/span.ts'

/** A kind of place where a secret stands. */
export interface SecretForm {
  /** What announces one; global. */
  readonly cue: RegExp
  /** How the text goes on behind the cue, from its first character: the group `value` is the secret. */
  readonly rest: RegExp
  /** So many characters behind the cue may belong to it. */
  readonly reach: number
  /** The cue belongs to what is hidden, as the first letters of a key do. */
  readonly withCue?: boolean
  /** Left out: every value is one. */
  readonly isSecret?: (value: string, place: CuePlace) => boolean
}

export interface CuePlace {
  readonly text: string
  readonly cue: Span
  /** Behind the value. */
  readonly end: number
}
