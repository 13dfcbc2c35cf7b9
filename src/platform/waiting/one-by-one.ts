/**
 * A poll acts on what it has found, one after another. What must hold: nothing that lasts for one of them keeps the
 * others from their turn, be it a bug or a row of its own that another transaction holds; and where the world is away
 * for all, no more than two are tried.
 */

export interface OneByOne<Item> {
  readonly act: (item: Item) => Promise<void>
  /** Whether an error is of the world (a database that is away) and not a bug. */
  readonly isOutage: (error: unknown) => boolean
  readonly onBug: (error: unknown, item: Item) => void
  /** When it aborts, no other one is begun. */
  readonly signal: AbortSignal
}

/** Resolves with the first failure of the world, for the poll to fail with; null: none. Rejects with two in a row. */
export async function oneByOne<Item>(
  items: readonly Item[],
  { act, isOutage, onBug, signal }: OneByOne<Item>,
): Promise<unknown> {
  let first: unknown = null
  let hasFailed = false
  for (const item of items) {
    if (signal.aborted) break
    try {
      await act(item)
      hasFailed = false
    } catch (error) {
      if (!isOutage(error)) onBug(error, item)
      else if (hasFailed) throw error
      else {
        first ??= error
        hasFailed = true
      }
    }
  }
  return first
}
