/**
 * How sentences of one kind look in each language: parts of regular expressions over normal texts
 * (core/text/normal-text.ts), which have neither capitals nor apostrophes.
 */

export interface Form {
  /** Where the text begins. */
  readonly opens?: string
  /** Where a clause begins. */
  readonly begins?: string
  /** Where a clause ends. */
  readonly ends?: string
  readonly anywhere?: string
}

export type ByLanguage = Readonly<Record<'en' | 'de' | 'fr' | 'es' | 'it', Form>>
