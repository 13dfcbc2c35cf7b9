/**
 * Serialised events of one share group, for members that catch up over the same stretch of the log (a thousand clients
 * that reconnect with the same cursor). Bounded; what is dropped is executed again. Executions under way are shared as
 * well.
 */
import type { Bytes } from './bytes.ts'
import type { LogEntry } from './log-view.ts'

const MAX_BYTES = 256 * 1024

type Key = number | string

export class PayloadCache {
  /** In order of arrival, oldest first. */
  readonly #kept = new Map<Key, Bytes>()
  readonly #running = new Map<Key, Promise<Bytes>>()
  #bytes = 0

  get(entry: LogEntry): Bytes | Promise<Bytes> | null {
    const key = keyOf(entry)
    return this.#kept.get(key) ?? this.#running.get(key) ?? null
  }

  /** Returns the payload. */
  keep(entry: LogEntry, payload: Bytes): Bytes {
    const key = keyOf(entry)
    if (this.#kept.has(key)) return payload
    this.#kept.set(key, payload)
    this.#bytes += payload.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= MAX_BYTES) break
      this.#kept.delete(oldest)
      this.#bytes -= length
    }
    return payload
  }

  /** Returns the promise; others share it until it settles. */
  keepRunning(entry: LogEntry, payload: Promise<Bytes>): Promise<Bytes> {
    const key = keyOf(entry)
    this.#running.set(key, payload)
    const settled = payload.finally(() => this.#running.delete(key))
    // Callers that await it get the rejection. When none does, because another event failed first, the rejection must
    // not count as unhandled.
    settled.catch(() => undefined)
    return settled
  }
}

/**
 * A snapshot may be shared by all who start at the same seq: whatever changes the session also appends an event, and
 * each of them is sent the events after that seq.
 */
function keyOf(entry: LogEntry): Key {
  if (entry.type !== 'SessionSnapshot') return entry.seq
  return entry.removedUpTo === null ? -1 - entry.seq : `${entry.seq} ${entry.removedUpTo}`
}
