/**
 * Puts texts together that are alike, and proposes one text for each group, so that a person decides once. Pure: by the
 * trigrams of normal texts, as PostgreSQL compares them.
 *
 * What must hold: each text is in one group at most, together with the first of it, to which it is alike. What is
 * proposed is one of the group's own texts, of the longest, and keeps the names, numbers and negations of all of them
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
/** Of a group's texts: a shorter one hardly keeps what the longest lose. */
const MAX_TRIED = 5
/** Where texts differ that differ at all. */
const MAX_COMPARED_CHARS = 240

/** Its size is that of the trigrams of its first text. */
interface Group {
  readonly size: number
  readonly members: ComparedText[]
}

/**
 * Groups of `texts`. How many trigrams a text shares with each group is counted by the lists of those that have them:
 * two thousand texts of one team take some tenths of a second.
 */
export function groupAlike(texts: readonly ComparedText[]): AlikeGroup[] {
  const groups: Group[] = []
  const having = new Map<string, number[]>()
  const shared = new Uint16Array(texts.length)
  for (const text of texts) {
    const keys = [...trigramsOf(text.norm)].map((trigram) => `${trigram} ${text.scope}`)
    shared.fill(0, 0, groups.length)
    for (const key of keys) for (const at of having.get(key) ?? []) shared[at] = (shared[at] ?? 0) + 1
    const best = mostAlike(groups, keys.length, shared)
    if (best !== null) {
      best.members.push(text)
      continue
    }
    for (const key of keys) {
      const numbers = having.get(key)
      if (numbers === undefined) having.set(key, [groups.length])
      else numbers.push(groups.length)
    }
    groups.push({ size: keys.length, members: [text] })
  }
  return groups.filter(({ members }) => members.length > 1).map(({ members }) => proposing(members))
}

/** The first of those that are most alike to a text of `size` keys; null: none is. `shared`: how many, by group. */
function mostAlike(groups: readonly Group[], size: number, shared: Uint16Array): Group | null {
  let best: Group | null = null
  let similarity = MIN_SIMILARITY
  groups.forEach((group, at) => {
    const count = shared[at] ?? 0
    const found = count / (size + group.size - count)
    if (found <= similarity) return
    best = group
    similarity = found
  })
  return best
}

function proposing(members: readonly ComparedText[]): AlikeGroup {
  const texts = [...new Set(members.map(({ content }) => content))].toSorted((a, b) => b.length - a.length)
  const lost = texts.slice(0, MAX_TRIED).map((text) => lostSubstance(texts, text))
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
