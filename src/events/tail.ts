/**
 * The end of one session's log, shared by all followers of the session in this process: one read of the log per
 * wake-up, however many followers there are, and a bounded cache of the newest events.
 *
 * What must hold: `#cache` holds every event of the log in (`#from`, `#head`], in order of seq, once. Events enter at
 * the end only, and only when nothing of the log can lie between: published by a commit of this process that continues
 * `#head`, or read from the log after `#head`. Seqs may have holes (pieces of text are deleted once the whole text is
 * there); since seq is drawn under the session row's lock, what is missing from a read up to its `lastSeq` will never
 * appear.
 *
 * Unanchored (`#head` is null) → anchored, by the first read or the first published events → closed.
 */
import type { SessionEvent } from '../core/session-event.ts'
import { reasonOf } from '../platform/error-code.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import type { LogPage, LogRange } from './log.ts'

/** Beyond every seq (a 32-bit integer in the database): a page after it is empty and tells where the log ends. */
const BEYOND_ALL = 2 ** 31 - 1
/** Events per read of the log. */
export const PAGE_SIZE = 500
const MAX_CACHED_EVENTS = 256
const MAX_CACHED_BYTES = 256 * 1024
/** What a tail may keep while all tails together are over their budget. */
const MIN_CACHED_BYTES = 8 * 1024

/** Called by a tail, synchronously; must not throw. `read` at once or soon. */
export interface Follower {
  /** There are events after the last that was handed out. */
  readonly grew: () => void
  /** Something was removed for its age, of the log or of what its events show: what was made of them is out of date. */
  readonly trimmed: () => void
  /** The session was deleted, or the feed stops. Nothing comes after. */
  readonly ended: (reason: 'gone' | 'stopped') => void
}

/** Events of the log after a cursor, with the cursor to go on from: a page may be empty and still move it. */
export interface Read {
  readonly events: readonly SessionEvent[]
  readonly upTo: number
  /** Absent or null: nothing is missing. Else up to here, behind `after`, things were removed for their age. */
  readonly removedUpTo?: number | null
}

/** Bytes that all tails of a process keep. */
export interface CacheBudget {
  used: number
  readonly limit: number
}

interface TailOptions {
  readonly sessionId: string
  readonly readPage: (range: LogRange) => Promise<LogPage | null>
  /** The session turned out to be deleted: close me. */
  readonly onGone: () => void
  readonly budget: CacheBudget
  readonly logger: Logger
}

/**
 * Made for the first follower of a session in this process, closed with the last. Of no more use once it is closed: a
 * session opened anew under the same id gets another one.
 */
export class Tail {
  readonly followers = new Set<Follower>()
  readonly #options: TailOptions
  readonly #catchUps = new Coalesced(() => this.#catchUp())
  readonly #replays = new Map<number, Promise<Read | null>>()
  #cache: SessionEvent[] = []
  #cachedBytes = 0
  #from = 0
  #head: number | null = null
  /**
   * The seq of the last event that tells of an erasure: what was read of the log before it is not handed out after it.
   */
  #erasedAt = 0
  /** Up to where things are known to have been removed for their age. */
  #removedUpTo = 0
  /** The log is said to have reached this; more than `#head` means there is something to read. */
  #reached = 0
  #anchoring: Promise<number | null> | null = null
  #closed = false

  constructor(options: TailOptions) {
    this.#options = options
  }

  /** The session whose log this is the end of. */
  get sessionId(): string {
    return this.#options.sessionId
  }

  /** The newest seq that is known here; null before the first read. */
  get head(): number | null {
    return this.#head
  }

  /**
   * The newest seq, looked up when it is not known yet; null when there is no such session. Rejects with an AppError.
   */
  async anchor(): Promise<number | null> {
    if (this.#head !== null) return this.#head
    this.#anchoring ??= this.readEnd().finally(() => {
      this.#anchoring = null
    })
    return (await this.#anchoring) === null ? null : this.#head
  }

  /** Asks the database for the newest seq. */
  async readEnd(): Promise<number | null> {
    const page = await this.#readPage(BEYOND_ALL)
    if (page === null) return null
    if (this.#head === null) {
      this.#from = page.lastSeq
      this.#head = page.lastSeq
    }
    this.reached(page.lastSeq)
    return page.lastSeq
  }

  /** Events that a commit of this process appended, in order; between the first and the last the log has no others. */
  published(events: readonly SessionEvent[]): void {
    const first = events[0]
    const last = events.at(-1)
    if (first === undefined || last === undefined || this.#closed) return
    if (this.#head === null) {
      this.#from = first.seq - 1
      this.#head = this.#from
    }
    if (first.seq <= this.#head + 1) this.#append(events, last.seq)
    this.reached(last.seq)
  }

  /** The log has reached `seq`, by a notification or a poll. May be late, repeated or of a deleted session's log. */
  reached(seq: number): void {
    this.#reached = Math.max(this.#reached, seq)
    if (this.#head === null || this.#reached <= this.#head || this.#closed) return
    void this.#catchUps.run()
  }

  /**
   * Events after `after` and up to `head`, without a promise when the cache holds them. Null: the session is gone.
   * Rejects with an AppError when the log cannot be read; the same call again is the way on.
   */
  read(after: number): Read | Promise<Read | null> {
    if (this.#head !== null && after >= this.#head) return { events: [], upTo: after }
    if (this.#head !== null && after >= this.#from) return { events: this.#cachedAfter(after), upTo: this.#head }
    return this.#replay(after)
  }

  /** Calls `ended` of every follower, at once, and drops the cache. On repeat it does nothing. */
  close(reason: 'gone' | 'stopped'): void {
    if (this.#closed) return
    this.#closed = true
    this.#options.budget.used -= this.#cachedBytes
    this.#cache = []
    for (const follower of this.followers) follower.ended(reason)
    this.followers.clear()
  }

  /** Resolves when no read is under way. */
  async settled(): Promise<void> {
    await this.#catchUps.settled()
    await Promise.allSettled([this.#anchoring, ...this.#replays.values()])
  }

  async #catchUp(): Promise<void> {
    const { logger, sessionId } = this.#options
    try {
      while (this.#head !== null && this.#reached > this.#head && !this.#closed) {
        const before = this.#head
        const target = this.#reached
        const page = await this.#readPage(before)
        if (this.#closed) return
        if (page === null || page.lastSeq < before) return this.#options.onGone()
        for (const type of page.unknownTypes) logger.warn({ sessionId, type }, 'event of an unknown type left out')
        this.#append(page.events, page.upTo)
        // A notification of a log that was deleted since: there is nothing to wait for.
        if (page.lastSeq < target && this.#reached === target) this.#reached = page.lastSeq
      }
    } catch (error) {
      logger.warn({ sessionId, error: reasonOf(error) }, 'log could not be read; the next poll retries')
    }
  }

  /** Readers with the same cursor share one read. */
  async #replay(after: number): Promise<Read | null> {
    const running = this.#replays.get(after)
    if (running !== undefined) return running
    const started = this.#readBack(after)
    this.#replays.set(after, started)
    try {
      return await started
    } finally {
      this.#replays.delete(after)
    }
  }

  /**
   * Hands out nothing beyond `#head`, even if the log holds more by now: the tail has yet to see it, and a reader that
   * is ahead of the tail would leave the others behind a point that they cannot reach.
   */
  async #readBack(after: number): Promise<Read | null> {
    const before = this.#head
    let page = await this.#readPage(after)
    while (page !== null && page.lastSeq >= (before ?? 0) && page.lastSeq < this.#erasedAt)
      page = await this.#readPage(after)
    if (page === null || page.lastSeq < (before ?? 0)) {
      this.#options.onGone()
      return null
    }
    this.reached(page.lastSeq)
    // A cursor that was beyond the tail already stays where it is.
    const limit = Math.max(this.#head ?? page.upTo, after)
    if (page.upTo <= limit) return page
    const events = page.events.filter((event) => event.seq <= limit)
    return { events, upTo: limit, removedUpTo: page.removedUpTo }
  }

  #readPage(after: number): Promise<LogPage | null> {
    return this.#options.readPage({ sessionId: this.sessionId, after, limit: PAGE_SIZE })
  }

  #append(events: readonly SessionEvent[], upTo: number): void {
    const head = this.#head ?? 0
    if (upTo <= head) return
    let appended = false
    for (const event of events) {
      if (event.seq <= head) continue
      if (event.type === 'SessionUpdated' && event.erased === true) this.#forgetBefore(event.seq)
      this.#cache.push(event)
      this.#keep(bytesOf(event))
      appended = true
    }
    this.#head = upTo
    if (appended) for (const follower of this.followers) follower.grew()
    this.#trim()
  }

  /** As a poll found it; on repeat nothing happens. */
  removedUpTo(seq: number): void {
    if (seq > this.#removedUpTo) this.trimmed(seq)
  }

  /** Things were removed from the log up to `seq`, or of what its events show: it is asked what is left. */
  trimmed(seq: number): void {
    this.#removedUpTo = Math.max(this.#removedUpTo, seq)
    this.#forgetUpTo(seq)
    for (const follower of this.followers) follower.trimmed()
  }

  #forgetUpTo(seq: number): void {
    const from = Math.min(seq, this.#head ?? seq)
    if (from <= this.#from) return
    this.#from = from
    const kept = this.#cache.filter((event) => event.seq > from)
    this.#keep(kept.reduce((sum, event) => sum + bytesOf(event), 0) - this.#cachedBytes)
    this.#cache = kept
  }

  /** Texts were taken out of the events before `seq`. */
  #forgetBefore(seq: number): void {
    this.#erasedAt = seq
    this.#from = seq - 1
    this.#keep(-this.#cachedBytes)
    this.#cache = []
  }

  #keep(bytes: number): void {
    this.#cachedBytes += bytes
    this.#options.budget.used += bytes
  }

  #trim(): void {
    const { budget } = this.#options
    let dropped = 0
    for (const event of this.#cache) {
      const maxBytes = budget.used > budget.limit ? MIN_CACHED_BYTES : MAX_CACHED_BYTES
      if (this.#cache.length - dropped <= MAX_CACHED_EVENTS && this.#cachedBytes <= maxBytes) break
      this.#from = event.seq
      this.#keep(-bytesOf(event))
      dropped += 1
    }
    this.#cache.splice(0, dropped)
  }

  #cachedAfter(after: number): readonly SessionEvent[] {
    // Followers ask for the last few: search from the end.
    let start = this.#cache.length
    while (start > 0 && (this.#cache[start - 1]?.seq ?? 0) > after) start -= 1
    return start === 0 ? this.#cache.slice() : this.#cache.slice(start)
  }
}

/** Roughly what an event costs in memory: its texts, and a flat rate for the rest. */
function bytesOf(event: SessionEvent): number {
  const text =
    event.type === 'TaskOutput'
      ? event.text.length
      : event.type === 'TextDelta'
        ? event.delta.length
        : event.type === 'TextCompleted'
          ? event.content.length
          : 0
  return 200 + 2 * text
}
