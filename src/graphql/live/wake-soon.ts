/**
 * One turn of the event loop for all that was woken in the one before. Some prepare what they have to write, then these
 * write one behind the other: what writes and computes by turns has the other side fall asleep and be woken in between,
 * which takes longer than the write.
 */
import { setImmediate } from 'node:timers'

/** `awaken` must not throw, nor what it returns: what is left to write, when others have prepared theirs. */
export interface Sleeper {
  awaken(): (() => void) | null
}

/** Few, so that the first need not wait for long. */
const PREPARED_AT_ONCE = 64

let woken: Sleeper[] = []

/** Has it awakened with the next turn of the event loop, once for each call. */
export function wakeSoon(sleeper: Sleeper): void {
  if (woken.push(sleeper) === 1) setImmediate(awakenAll)
}

function awakenAll(): void {
  const all = woken
  woken = []
  for (let from = 0; from < all.length; from += PREPARED_AT_ONCE) {
    const writes = all.slice(from, from + PREPARED_AT_ONCE).map((one) => one.awaken())
    for (const write of writes) write?.()
  }
}
