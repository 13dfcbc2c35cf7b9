/**
 * Sentences that the rules by form were not fitted to, one file for each language: those of `before` were written
 * before the rules by the same hand, which remembered them, those of `after` when the rules stood, about other things.
 * They are counted; rules are not mended by what they show.
 */
import { readFileSync } from 'node:fs'
import { LANGUAGES, type Language } from '../corpus/learning-patterns.ts'

export const HELD_OUT_KINDS = ['remark', 'order', 'secret', 'agent', 'fact'] as const
export type HeldOutKind = (typeof HELD_OUT_KINDS)[number]

/** `later`: before the rules for what is built, polite or expected, with a glance at which forms they should know. */
export type Written = 'before' | 'after' | 'later'

export interface HeldOutSentence {
  readonly kind: HeldOutKind
  readonly language: Language
  readonly text: string
}

export function heldOutSentences(written: Written): HeldOutSentence[] {
  return LANGUAGES.flatMap((language) =>
    readFileSync(new URL(`${written}/${language}.txt`, import.meta.url), 'utf8')
      .split(/^# /m)
      .flatMap((part) => {
        const [name = '', ...lines] = part.split('\n')
        const kind = HELD_OUT_KINDS.find((one) => one === name)
        return kind === undefined ? [] : lines.filter((text) => text !== '').map((text) => ({ kind, language, text }))
      }),
  )
}

/** Behind prepositions of German sentences: words for kinds of things, and names. */
export function germanNounsHeldOut(kind: 'nouns' | 'names'): { readonly text: string; readonly word: string }[] {
  return readFileSync(new URL('german-nouns.txt', import.meta.url), 'utf8')
    .split(/^# /m)
    .filter((part) => part.startsWith(`${kind}\n`))
    .flatMap((part) => part.split('\n').slice(1))
    .flatMap((line) => {
      const [text = '', word] = line.split('|')
      return word === undefined ? [] : [{ text, word }]
    })
}
