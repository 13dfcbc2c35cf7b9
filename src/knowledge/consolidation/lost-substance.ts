/**
 * Whether a text that is to stand in the place of others keeps what they say, by its form: each name and number of
 * them, each word that narrows one, and neither fewer negations than one of them has nor more than all. Pure. It is no
 * judge of meaning: it keeps a model, and a proposal, from saying less unnoticed.
 */
import { lostDetail } from '../learnings/lost-detail.ts'
import { NEGATIONS } from '../learnings/other-substance.ts'

/** For people, a clause: what is lost first; null: nothing. */
export function lostSubstance(sources: readonly string[], text: string): string | null {
  for (const source of sources) {
    const lost = lostDetail(source, text)
    if (lost !== null) return lost
  }
  const negations = sources.map((source) => matches(NEGATIONS, source).length)
  const left = matches(NEGATIONS, text).length
  if (left < Math.max(0, ...negations)) return 'a negation is lost'
  return left > negations.reduce((sum, one) => sum + one, 0) ? 'it has a negation more' : null
}

/** Whether some of these texts, which are alike, are negated and others not: then they hardly say the same. */
export function areMixed(texts: readonly string[]): boolean {
  return new Set(texts.map((text) => matches(NEGATIONS, text).length > 0)).size > 1
}

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([one]) => one)
}
