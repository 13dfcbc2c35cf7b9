/** The lists and stores of a client: one for each key, and not for as long as the page is open. */
import { pause } from './pause.ts'
import type { ReadingClient } from './reading-client.ts'

interface Kept {
  /** Nothing listens to it, and nothing would be lost with it. */
  readonly isIdle: boolean
}

/** Beyond so many those that are idle go, the one that was asked for longest ago first. */
const KEPT = 50
/** What is made while a page is rendered is listened to only after that. */
const GRACE_MS = 1000

/** In the order in which they were asked for. */
const clients = new WeakMap<ReadingClient, Map<string, Kept>>()

/** The one with that key, which only one kind of value may have; made anew when it is not there any more. */
export function keep<Value extends Kept>(client: ReadingClient, key: string, make: () => Value): Value {
  const all = clients.get(client) ?? new Map<string, Kept>()
  clients.set(client, all)
  const known = all.get(key) as Value | undefined
  const value = known ?? make()
  all.delete(key)
  all.set(key, value)
  if (known === undefined) void pause(GRACE_MS, client.until()).then(() => evict(all))
  return value
}

function evict(all: Map<string, Kept>): void {
  for (const [key, { isIdle }] of all) if (isIdle && all.size > KEPT) all.delete(key)
}
