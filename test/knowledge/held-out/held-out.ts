/**
 * Sentences that the rules by form have never been fitted to: written before the rules that they judge, and only ever
 * counted, not looked at one by one, while rules were written. One file for each language.
 */
import { readFileSync } from 'node:fs'
import { LANGUAGES, type Language } from '../corpus/learning-patterns.ts'

export const HELD_OUT_KINDS = ['remark', 'order', 'secret', 'agent', 'fact'] as const
export type HeldOutKind = (typeof HELD_OUT_KINDS)[number]

export interface HeldOutSentence {
  readonly kind: HeldOutKind
  readonly language: Language
  readonly text: string
}

export function heldOutSentences(): HeldOutSentence[] {
  return LANGUAGES.flatMap((language) =>
    readFileSync(new URL(`${language}.txt`, import.meta.url), 'utf8')
      .split(/^# /m)
      .flatMap((part) => {
        const [name = '', ...lines] = part.split('\n')
        const kind = HELD_OUT_KINDS.find((one) => one === name)
        return kind === undefined ? [] : lines.filter((text) => text !== '').map((text) => ({ kind, language, text }))
      }),
  )
}
