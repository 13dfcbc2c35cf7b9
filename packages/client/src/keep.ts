/** The lists and stores of a client: one for each key, and not for as long as the page is open. */
import type { ReadingClient } from './reading-client.ts'

interface Kept {
  /** Nothing listens to it, and nothing would be lost with it. */
  readonly isIdle: boolean
}

interface KeptFolds {
  /** In the order in which they were asked for. */
  readonly kept: Set<Kept>
  /** Also what a page still has that is not kept any more: it is not made twice. */
  readonly made: Map<string, WeakRef<Kept>>
}

/** Beyond so many those that are idle go, the one that was asked for longest ago first. */
const KEPT = 50

const byClient = new WeakMap<ReadingClient, KeptFolds>()

/** The one with that key, which only one kind of value may have; made anew when it is not there any more. */
export function keep<Value extends Kept>(client: ReadingClient, key: string, make: () => Value): Value {
  const found = byClient.get(client) ?? { kept: new Set(), made: new Map() }
  byClient.set(client, found)
  const { kept, made } = found
  const value = (made.get(key)?.deref() as Value | undefined) ?? make()
  if (!kept.delete(value)) {
    made.set(key, new WeakRef(value))
    for (const [known, one] of made) if (one.deref() === undefined) made.delete(known)
    for (const one of kept) if (one.isIdle && kept.size >= KEPT) kept.delete(one)
  }
  kept.add(value)
  return value
}
