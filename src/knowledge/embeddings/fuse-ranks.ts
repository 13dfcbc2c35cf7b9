/**
 * One list of several, by reciprocal rank: what stands high in one of them, or well in more than one, stands high.
 * Pure. Scores of different kinds cannot be added; places can.
 */

/** Usual: the first places of a list differ little. */
const SMOOTHING = 60

/** Each once, best first; among equals, as in the first list. */
export function fuseRanks<Item extends { readonly id: string }>(lists: readonly (readonly Item[])[]): Item[] {
  const scores = new Map<string, { readonly item: Item; score: number }>()
  for (const list of lists)
    list.forEach((item, place) => {
      const known = scores.get(item.id)
      const score = 1 / (SMOOTHING + place + 1)
      if (known === undefined) scores.set(item.id, { item, score })
      else known.score += score
    })
  return [...scores.values()].toSorted((a, b) => b.score - a.score).map(({ item }) => item)
}
