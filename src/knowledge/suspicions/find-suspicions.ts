/**
 * What a text looks like that must not become a fact without a person, by its form alone; the table is
 * suspicion-words.ts. Pure. Called for what was learned, and for what the curator makes of it. It holds, and never
 * refuses: "a cache may be flushed" and "you may flush the cache" differ by what a person knows.
 */
import type { Suspicion } from '../../core/status.ts'
import { normalText } from '../../core/text/normal-text.ts'
import { mayHoldSecret } from './may-hold-secret.ts'
import { SUSPICIOUS } from './suspicion-words.ts'

/** In the order of the table; empty: nothing. */
export function findSuspicions(text: string): Suspicion[] {
  const norm = ` ${normalText(text)} `
  const clauses = text.split(CLAUSE_ENDS).map((clause) => ` ${normalText(clause)} `)
  const found = RULES.filter(
    ({ inText, inClause }) => inText.test(norm) || clauses.some((clause) => inClause.test(clause)),
  )
  const flags = new Set<Suspicion>(found.map(({ flag }) => flag))
  if (isExclaimed(text)) flags.add('REMARK')
  if (mayHoldSecret(text, norm)) flags.add('SECRET')
  return ALL.filter((flag) => flags.has(flag))
}

const CLAUSE_ENDS = /[,.;:!?…]+(?:\s|$)|\n|\s[-–—]+\s|["“”„«»]/u
const ALL: readonly Suspicion[] = [...(Object.keys(SUSPICIOUS) as (keyof typeof SUSPICIOUS)[]), 'SECRET']

const RULES = Object.entries(SUSPICIOUS).flatMap(([flag, languages]) =>
  Object.values(languages).map(({ opens, begins, ends, anywhere }) => ({
    flag: flag as Suspicion,
    inText: anyOf([opens, (part) => `^ (?:${part})`], [anywhere, (part) => ` (?:${part}) `]),
    inClause: anyOf([begins, (part) => `^ (?:${part})`], [ends, (part) => ` (?:${part}) $`]),
  })),
)

/** Without any part it is found nowhere. */
function anyOf(...parts: readonly (readonly [string | undefined, (part: string) => string])[]): RegExp {
  const given = parts.flatMap(([part, place]) => (part === undefined ? [] : [place(part)]))
  return new RegExp(given.length === 0 ? '(?!)' : given.join('|'), 'u')
}

/** What is called out tells of a moment, unless it names a number. */
function isExclaimed(text: string): boolean {
  return /![\s*_"”»]*$/u.test(text) && !/\d/u.test(text)
}
