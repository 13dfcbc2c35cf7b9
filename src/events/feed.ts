/**
 * The live end of the log: a follower of a session in this process is called as soon as its log grows, wherever the
 * commit happened, and reads on from a cursor of its own. Nothing is missed, repeated or out of order; see `tail.ts`.
 *
 * How it learns that a log grew: `published` by this process's own commits, which bring the events along; the doorbell
 * for other processes' commits; and every two seconds one poll of all followed sessions, for notifications that were
 * lost.
 */
import { isOutage } from '../core/errors.ts'
import type { SessionEvent } from '../core/session-event.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { assert } from '../platform/must.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import type { Timing } from '../config/timing.ts'
import type { Database } from '../store/database.ts'
import type { Doorbell } from './doorbell.ts'
import { readLogEnds, readLogPage } from './log.ts'
import { Tail, type CacheBudget, type Follower, type Read } from './tail.ts'

/** Events that all followed sessions together keep in memory. */
const CACHE_BYTES = 64 * 1024 * 1024

interface FeedOptions {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly logger: Logger
  readonly timing: Pick<Timing, 'feedPollMs'>
  readonly clock: Clock
}

/** A follower's hold on a session. */
export interface Following {
  /**
   * The newest seq, or null when there is no such session. Call it first: `grew` is called for everything after.
   * Rejects with an AppError when the database cannot be reached.
   */
  head(): Promise<number | null>
  /** The same, asked of the database now, whatever is known. */
  end(): Promise<number | null>
  /** Events after `after`; see `Tail.read`. */
  read(after: number): Read | Promise<Read | null>
  /** Ends it; `ended` is not called. */
  close(): void
}

/**
 * One for each process. Keeps about 64 MiB of the newest events of all followed sessions; what a follower needs beyond
 * that is read from the database.
 */
export class Feed {
  readonly #options: FeedOptions
  readonly #tails = new Map<string, Tail>()
  /** By session: who waits for its first event. */
  readonly #awaited = new Map<string, Set<() => void>>()
  readonly #budget: CacheBudget = { used: 0, limit: CACHE_BYTES }
  readonly #poll: Periodic
  readonly #listeners = new Set<(events: readonly SessionEvent[]) => void>()
  #unsubscribe: readonly (() => void)[] = []

  constructor(options: FeedOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    const tick = (): Promise<void> => this.#pollLogs()
    this.#poll = new Periodic({
      name: 'poll of followed sessions',
      everyMs: timing.feedPollMs,
      // Followers wait for the first poll after an outage: events of other processes may have been missed.
      backoff: { firstMs: timing.feedPollMs / 4, maxMs: timing.feedPollMs },
      tick,
      isOutage,
      clock,
      logger,
    })
  }

  /**
   * Subscribes to the doorbell and polls from now on. Call it once; before it, followers see the commits of this
   * process alone.
   */
  start(): void {
    const { doorbell } = this.#options
    this.#unsubscribe = [
      doorbell.on('log', ({ sessionId, seq }) => {
        this.#tails.get(sessionId)?.reached(seq)
        this.#appeared(sessionId)
      }),
      doorbell.on('trimmed', ({ sessionId, seq }) => this.#tails.get(sessionId)?.trimmed(seq)),
      doorbell.on('gone', (notification) => this.#close(this.#tails.get(notification.sessionId), 'gone')),
      doorbell.on('resync', () => {
        // What was removed of what events show is in no row that the poll reads.
        for (const tail of this.#tails.values()) tail.trimmed(0)
        this.#poll.wake()
      }),
    ]
    this.#poll.start()
  }

  /** Ends every follower with 'stopped'. */
  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    const tails = [...this.#tails.values()]
    for (const tail of tails) this.#close(tail, 'stopped')
    await this.#poll.stop()
    await Promise.all(tails.map((tail) => tail.settled()))
  }

  /**
   * Called after a commit of this process, by the code that committed: the events of one commit, all of one session, in
   * order. Rings the doorbell. Never throws for what followers do.
   */
  published(events: readonly SessionEvent[]): void {
    const last = events.at(-1)
    if (last === undefined) return
    const { sessionId } = last
    assert(
      events.every((event) => event.sessionId === sessionId),
      'published events are of one session',
    )
    this.#tails.get(sessionId)?.published(events)
    for (const hear of this.#listeners) hear(events)
    this.#options.doorbell.ring({ kind: 'log', sessionId, seq: last.seq, list: events.some(changesList) })
  }

  /** `hear` gets what this process commits, until the returned function is called. It must not throw. */
  onPublished(hear: (events: readonly SessionEvent[]) => void): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  /** Called after the commit that deleted the session, by the code that committed. */
  ended(sessionId: string): void {
    this.#options.doorbell.ring({ kind: 'gone', sessionId })
  }

  /**
   * Called after the commit that removed something of the log up to `seq`, or, with 0, only of what its events show; by
   * the code that committed.
   */
  trimmed(sessionId: string, seq: number): void {
    this.#options.doorbell.ring({ kind: 'trimmed', sessionId, seq })
  }

  /** Follows a session from now on; `head()` says whether it exists. */
  follow(sessionId: string, follower: Follower): Following {
    const tail = this.#tails.get(sessionId) ?? this.#open(sessionId)
    tail.followers.add(follower)
    return {
      head: () => tail.anchor(),
      end: () => tail.readEnd(),
      read: (after) => tail.read(after),
      close: () => {
        tail.followers.delete(follower)
        if (tail.followers.size === 0) this.#close(tail, 'stopped')
      },
    }
  }

  /**
   * Calls `appeared` when the session may have come into being, now and then also when it has not; until the returned
   * function is called. What is rung before the call is not told.
   */
  await(sessionId: string, appeared: () => void): () => void {
    const awaiting = this.#awaited.get(sessionId) ?? new Set()
    this.#awaited.set(sessionId, awaiting)
    awaiting.add(appeared)
    return () => {
      awaiting.delete(appeared)
      if (awaiting.size === 0 && this.#awaited.get(sessionId) === awaiting) this.#awaited.delete(sessionId)
    }
  }

  #appeared(sessionId: string): void {
    for (const appeared of this.#awaited.get(sessionId) ?? []) appeared()
  }

  #open(sessionId: string): Tail {
    const { database, logger } = this.#options
    const tail: Tail = new Tail({
      sessionId,
      readPage: (range) => readLogPage(database, range),
      onGone: () => this.#close(tail, 'gone'),
      budget: this.#budget,
      logger,
    })
    this.#tails.set(sessionId, tail)
    return tail
  }

  #close(tail: Tail | undefined, reason: 'gone' | 'stopped'): void {
    if (tail === undefined) return
    // It may have been replaced since: a session opened anew under the same id.
    if (this.#tails.get(tail.sessionId) === tail) this.#tails.delete(tail.sessionId)
    tail.close(reason)
  }

  /** One statement for all sessions that are followed or awaited. */
  async #pollLogs(): Promise<void> {
    const polled = [...this.#tails.values()]
      .map((tail) => ({ tail, head: tail.head }))
      .filter(({ head }) => head !== null)
    const ids = new Set([...polled.map(({ tail }) => tail.sessionId), ...this.#awaited.keys()])
    if (ids.size === 0) return
    const found = await readLogEnds(this.#options.database, [...ids])
    for (const sessionId of this.#awaited.keys()) if (found.has(sessionId)) this.#appeared(sessionId)
    for (const { tail, head } of polled) {
      const end = found.get(tail.sessionId)
      // Shorter than it was: deleted, and opened anew under the same id.
      if (end === undefined || end.lastSeq < (head ?? 0)) {
        this.#close(tail, 'gone')
        continue
      }
      tail.removedUpTo(end.removedSeq)
      tail.reached(end.lastSeq)
    }
  }
}

/** Whether the event changes what a list of sessions shows: status, counters, preview, description, activity. */
function changesList(event: SessionEvent): boolean {
  switch (event.type) {
    case 'MessageReceived':
    case 'MessageUpdated':
    case 'SessionUpdated':
    case 'Approval':
    case 'TextCompleted':
    case 'TurnPaused':
    case 'TurnCompleted':
      return true
    case 'PipelineStep':
      // EXECUTING: what waited for approvals goes on.
      return event.step === 'RECEIVED' || event.step === 'EXECUTING'
    default:
      return false
  }
}
