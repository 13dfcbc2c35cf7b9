/** What the terms of a query weigh, and what counts as found (rank-facts.ts). */

/** A term of what is said: in which text (0: the query itself) and as which word of it. */
export interface SaidTerm {
  readonly text: number
  readonly word: number
  readonly term: string
  /** False: a stem. */
  readonly isWhole: boolean
  /** How many facts have it. */
  readonly facts: number
}

/** A term of facts in place of a word that no fact has. */
export interface NearTerm {
  readonly written: string
  readonly term: string
  /** 1: the same. */
  readonly similarity: number
  readonly facts: number
}

export interface WeighedTerm {
  readonly term: string
  /** Terms of one word count once. */
  readonly word: number
  readonly weight: number
  readonly facts: number
}

/** A long text is about the rarest words that it has. */
const MAX_TERMS = 64
/** Of what was said before: its words say what is meant, the query's what is asked. */
const WEIGHT_OF_BEFORE = 0.5
const WEIGHT_OF_STEM = 0.9
/** It counts as two words. */
const WEIGHT_OF_NAME = 2
/** Of what all words could weigh that a single fact has; a fact that shares less has only common words. */
const FLOOR_OF_RAREST = 0.35
/** Of the best one's. */
const FLOOR_OF_BEST = 0.2

/** How much a term tells that `facts` of `total` facts have. */
export function rarity(facts: number, total: number): number {
  return Math.log(1 + total / Math.max(facts, 1))
}

interface Weighing {
  readonly said: readonly SaidTerm[]
  readonly near: readonly NearTerm[]
  readonly total: number
  /** Words that name something (`namesIn`). */
  readonly names: ReadonlySet<string>
}

/**
 * Words that begin with a capital letter and no sentence, folded as terms are. A fact about something else of a name is
 * the wrong one, however many other words it shares.
 */
export function namesIn(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.flatMap((text) => text.match(/(?<=[\p{L}\p{N},;:)]\s+)\p{Lu}[\p{L}\p{N}]+/gu) ?? [])
  return new Set(names.map((name) => name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()))
}

/** Sums of such weights are the same in any order, so that facts with the same words score the same. */
function rounded(weight: number): number {
  return Math.round(weight * 2 ** 20) / 2 ** 20
}

/** The terms that facts have, each once: where it weighs most. */
export function weighTerms({ said, near, total, names }: Weighing): WeighedTerm[] {
  const best = new Map<string, WeighedTerm>()
  const words = new Map<string, number>()
  const add = (term: string, { written, weight, facts }: { written: string; weight: number; facts: number }): void => {
    if ((best.get(term)?.weight ?? 0) >= weight) return
    const word = words.get(written) ?? words.size
    words.set(written, word)
    best.set(term, { term, word, weight, facts })
  }
  const nearOf = Map.groupBy(near, ({ written }) => written)
  for (const [written, terms] of Map.groupBy(said.filter(isAsked), writtenIn(said))) {
    for (const { term, text, isWhole, facts } of terms) {
      const sure = (isWhole ? 1 : WEIGHT_OF_STEM) * (names.has(written) ? WEIGHT_OF_NAME : 1)
      const factor = sure * WEIGHT_OF_BEFORE ** Math.min(text, 3)
      if (facts > 0) add(term, { written, weight: factor * rarity(facts, total), facts })
      for (const other of (nearOf.get(term) ?? []).filter((one) => one.facts > 0)) {
        const weight = factor * other.similarity * rarity(other.facts, total)
        add(other.term, { written, weight, facts: other.facts })
      }
    }
  }
  return [...best.values()]
    .map((term) => ({ ...term, weight: rounded(term.weight) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_TERMS)
}

const isAsked = ({ term }: SaidTerm): boolean => term !== ''

/** The word as it is written, for each of its terms: the same word in two texts is one. */
function writtenIn(said: readonly SaidTerm[]): (term: SaidTerm) => string {
  const whole = new Map(said.filter(({ isWhole }) => isWhole).map(({ text, word, term }) => [`${text} ${word}`, term]))
  return ({ text, word, term }) => whole.get(`${text} ${word}`) ?? term
}

/**
 * Those that share something telling, best first: neither only common words, nor much less than the best. Few facts
 * need no floor.
 */
export function aboveFloor<Fact extends { readonly content: string; readonly score: number }>(
  found: readonly Fact[],
  { total, maxCount }: { readonly total: number; readonly maxCount: number },
): Fact[] {
  const scored = found
    .map((fact) => ({ ...fact, score: fact.score * shortness(fact.content) }))
    .toSorted((a, b) => b.score - a.score)
  const floor = Math.max(floorOf({ total, maxCount }), FLOOR_OF_BEST * (scored[0]?.score ?? 0))
  return scored.filter(({ score }) => score >= floor)
}

/** What a fact must score, however good the others are. */
function floorOf({ total, maxCount }: { readonly total: number; readonly maxCount: number }): number {
  return total > maxCount ? FLOOR_OF_RAREST * rarity(1, total) : 0
}

/**
 * False: the terms are so common that the shortest of facts, with all of them, stays below the floor. A message such as
 * "ok, thanks" has no others, and the facts that have these are the most to be read.
 */
export function mayBeFound(
  terms: readonly WeighedTerm[],
  among: { readonly total: number; readonly maxCount: number },
): boolean {
  const words = Map.groupBy(terms, ({ word }) => word).values()
  const most = words.reduce((sum, ofWord) => sum + Math.max(...ofWord.map(({ weight }) => weight)), 0)
  return most > 0 && most * shortness('') >= floorOf(among)
}

const USUAL_CHARS = 100

/** A long text shares more words by chance. */
function shortness(content: string): number {
  return 1 / (0.85 + (0.15 * Math.min(content.length, 5 * USUAL_CHARS)) / USUAL_CHARS)
}
