/**
 * Whether one text says again what another says, in nearly the same words. Pure; PostgreSQL finds the candidates by
 * their trigrams, and measures how similar they are. Called before a learning is stored and before a fact is made of
 * one.
 *
 * What must hold: when in doubt, no. A repetition that is missed costs a decision of the curator; one that is none
 * loses what was learned. Trigrams alone cannot tell: "the port is 8080" and "the port is 8081" are 0.87 alike, "pnpm"
 * and "npm" in a sentence of eight words 0.92, while honest repetitions go down to 0.71 (the pairs are in the test).
 */

/** Candidates below are no repetitions, and PostgreSQL need not find them. */
export const MIN_SIMILARITY = 0.6
/** How similar a text must be that only adds words. */
const MIN_SIMILARITY_WITH_MORE = 0.8

/** Both as normal texts (core/text/normal-text.ts). `similarity`: of their trigrams, 0 to 1. */
export function isRepetition(text: string, known: string, similarity: number): boolean {
  if (text === known) return true
  if (similarity < MIN_SIMILARITY) return false
  // "A calls B" is not "B calls A".
  if (isPermutation(text.split(' '), known.split(' '))) return false
  const [words, knownWords] = [wordsOf(text), wordsOf(known)]
  const [added, missing] = [lacking(words, knownWords), lacking(knownWords, words)]
  if ([...added, ...missing].some(changesMeaning)) return false
  if (added.length === 0) return true
  return missing.length === 0 && similarity >= MIN_SIMILARITY_WITH_MORE
}

/** Words that say nothing by themselves, in English; texts in other languages are judged more strictly. */
const FILLERS = new Set(
  'a an the is are was were be been being has have had it its this that these those of to in on at as by for with and'.split(
    ' ',
  ),
)
const NEGATIONS = new Set(
  'no not never none nor cannot without dont doesnt isnt arent wont nicht kein keine nie ohne pas sans non sin senza'.split(
    ' ',
  ),
)

function wordsOf(norm: string): string[] {
  return norm.split(' ').filter((word) => !FILLERS.has(word))
}

/** A number or a name such as acme-2, and a no. */
function changesMeaning(word: string): boolean {
  return NEGATIONS.has(word) || !/^\p{L}+$/u.test(word)
}

function isPermutation(words: readonly string[], others: readonly string[]): boolean {
  return words.toSorted().join(' ') === others.toSorted().join(' ')
}

function lacking(words: readonly string[], others: readonly string[]): string[] {
  return words.filter((word) => !others.some((other) => isSameWord(word, other)))
}

/** The same but for an ending: "deploy" and "deployed", "node" and "nodes". */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  const ending = long.slice(short.length)
  if (!long.startsWith(short) || !/^\p{L}+$/u.test(long)) return false
  return ending === 's' || (short.length >= 4 && ending.length <= 2)
}
