/**
 * Puts texts together that are alike, and proposes one text for each group, so that a person decides once. Pure: by the
 * trigrams of normal texts, as PostgreSQL compares them.
 *
 * What must hold: each text is in one group at most, together with the first of it, to which it is alike. What is
 * proposed is one of the group's own texts, and keeps the names, numbers and negations of all of them
 * (lost-substance.ts); where none does, a person has to write it.
 */
import { must } from '../../platform/must.ts'
import { areMixed, lostSubstance } from './lost-substance.ts'

/** A text of those that may be alike. */
export interface ComparedText {
  readonly id: string
  readonly content: string
  /** Its normal text (core/text/normal-text.ts). */
  readonly norm: string
  /** Texts of different scopes are never one. */
  readonly scope: string
}

/** Two or more that are alike. */
export interface AlikeGroup {
  /** In the order in which they came. */
  readonly ids: readonly string[]
  /** The one of them that keeps what all say, the longest of several; null: none does. */
  readonly proposed: string | null
  /** Without a proposal, what the longest of them lacks: a clause. */
  readonly problem: string | null
}

/** Of trigrams, 0 to 1: as what is called alike when it is learned. */
const MIN_SIMILARITY = 0.5
/** Where texts differ that differ at all. */
const MAX_COMPARED_CHARS = 240

/** Groups of `texts`, which are few: each may be compared with each. */
export function groupAlike(texts: readonly ComparedText[]): AlikeGroup[] {
  const groups: { readonly trigrams: ReadonlySet<string>; readonly members: ComparedText[] }[] = []
  for (const text of texts) {
    const trigrams = trigramsOf(text.norm)
    const best = groups
      .filter(({ members }) => members[0]?.scope === text.scope)
      .map((group) => ({ group, similarity: similarityOf(group.trigrams, trigrams) }))
      .reduce<{ members: ComparedText[] | null; similarity: number }>(
        (found, { group, similarity }) =>
          similarity > found.similarity ? { members: group.members, similarity } : found,
        { members: null, similarity: MIN_SIMILARITY },
      )
    if (best.members === null) groups.push({ trigrams, members: [text] })
    else best.members.push(text)
  }
  return groups.filter(({ members }) => members.length > 1).map(({ members }) => proposing(members))
}

function proposing(members: readonly ComparedText[]): AlikeGroup {
  const texts = [...new Set(members.map(({ content }) => content))].toSorted((a, b) => b.length - a.length)
  const lost = texts.map((text) => lostSubstance(texts, text))
  const fit = lost.indexOf(null)
  const ids = members.map(({ id }) => id)
  if (areMixed(texts)) return { ids, proposed: null, problem: 'some of them are negated, others are not' }
  if (fit >= 0) return { ids, proposed: must(texts[fit], 'a text for each verdict'), problem: null }
  return { ids, proposed: null, problem: lost[0] ?? null }
}

/** As pg_trgm: of each word, with two blanks before and one after it. */
function trigramsOf(norm: string): ReadonlySet<string> {
  const words = norm.slice(0, MAX_COMPARED_CHARS).match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.flatMap((word) => [...pairs(`  ${word} `)]))
}

function pairs(padded: string): string[] {
  return Array.from({ length: Math.max(padded.length - 2, 0) }, (_, start) => padded.slice(start, start + 3))
}

function similarityOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  // They share no more than the smaller has.
  if (small.size < large.size * MIN_SIMILARITY) return 0
  let shared = 0
  for (const trigram of small) if (large.has(trigram)) shared += 1
  return shared / (one.size + other.size - shared)
}
