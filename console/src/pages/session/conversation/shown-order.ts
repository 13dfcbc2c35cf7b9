/**
 * The order in which a conversation is read. The log has a message where it came; one that waited for other turns is
 * read where its own turn began, below what those answered, so that a question stands above its answer.
 */
import type { Entry, PersonEntry } from '@factotum/client'

/** When turns began, by their ids, as far as it is known: of one that has said nothing yet only this says it. */
export type Begun = Readonly<Record<string, string>>

/** The same list where nothing waited. */
export function inShownOrder(entries: readonly Entry[], begun: Begun): readonly Entry[] {
  const firstTexts = firstTextsOf(entries)
  const moved = new Map<number, Entry[]>()
  const away = new Set<Entry>()
  let before: Placed | null = null
  for (const [index, entry] of entries.entries()) {
    if (entry.kind !== 'person' || entry.turnId === null) continue
    const end = firstTexts.get(entry.turnId) ?? endBefore(entries, begun[entry.turnId])
    const behind: number | null = end === null ? behindWhatTook(entry, before) : lastText(entries, index, end)
    before = { entry, behind }
    if (behind === null) continue
    moved.set(behind, [...(moved.get(behind) ?? []), entry])
    away.add(entry)
  }
  if (away.size === 0) return entries
  return entries.flatMap((entry, index) => [...(away.has(entry) ? [] : [entry]), ...(moved.get(index) ?? [])])
}

/** Behind which entry a message is read; null: where the log has it. */
interface Placed {
  readonly entry: PersonEntry
  readonly behind: number | null
}

/** A message that a turn of its author took along has no texts of its own: it goes where the one before it went. */
function behindWhatTook(entry: PersonEntry, before: Placed | null): number | null {
  return before !== null && before.entry.author?.name === entry.author?.name ? before.behind : null
}

function firstTextsOf(entries: readonly Entry[]): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>()
  for (const [index, { kind, turnId }] of entries.entries())
    if (kind !== 'person' && turnId !== null && !firsts.has(turnId)) firsts.set(turnId, index)
  return firsts
}

/** Before which entry a turn began that has no texts; null: it is not known. */
function endBefore(entries: readonly Entry[], begunAt: string | undefined): number | null {
  return begunAt === undefined ? null : entries.findLastIndex(({ seq, at }) => seq !== null && at <= begunAt) + 1
}

/** The last text of another turn between a message and the first of its own; null: it did not wait for one. */
function lastText(entries: readonly Entry[], index: number, end: number): number | null {
  for (let at = end - 1; at > index; at -= 1) {
    const entry = entries[at]
    if (entry !== undefined && entry.kind !== 'person' && entry.turnId !== null) return at
  }
  return null
}
