/**
 * All subscribers in this process that are shown the same: same document, variables (the cursor aside) and access
 * class. Each event is executed and serialised once for all of them.
 *
 * What must hold: a member gets every event of the log after its cursor that the view admits, once, in order. A member
 * is either catching up, reading from its own cursor, or live. It becomes live in the moment its cursor is not behind
 * `#head`, the seq up to which live members have been served; from then on it gets what the group gets, minus what it
 * already had.
 */
import { GraphQLError, type ExecutionResult } from 'graphql'
import { AppError } from '../../core/errors.ts'
import type { Viewer } from '../../core/identity.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { Following } from '../../events/feed.ts'
import type { Read } from '../../events/tail.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Clock } from '../../platform/clock.ts'
import { Coalesced } from '../../platform/waiting/coalesced.ts'
import { retried } from '../../platform/waiting/retried.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { fitResult } from '../operation/answer-budget.ts'
import { Batch, type ResultPayload } from './batch.ts'
import { toBytes, type Bytes } from './bytes.ts'
import { EventProjection } from './event-projection.ts'
import { executeEvent } from './execute-event.ts'
import type { LogOperation } from '../operation/log-operation.ts'
import type { LogEntry } from './log-view.ts'
import { maskError, maskResult } from '../operation/mask-error.ts'
import { PayloadCache } from './payload-cache.ts'
import { ENOUGH_BUFFERED_BYTES, MAX_BUFFERED_BYTES, STALLED_MS, type Subscriber } from './subscriber.ts'
import { wakeSoon } from './wake-soon.ts'

/** Payloads are written in pieces of about this size. */
const BATCH_BYTES = 64 * 1024
/** In UTF-8, of what a string counts as one. */
const MOST_BYTES_PER_CHARACTER = 3
const UNAVAILABLE = 'DATABASE_UNAVAILABLE'
/** The database does not answer: how long to wait before asking again. Subscribers need not notice. */
const RETRY_MS = 1000

export interface Member {
  readonly viewer: Viewer
  readonly subscriber: Subscriber
  /** Everything up to here was sent, or need not be. */
  cursor: number
  open: boolean
  /** It was told that things were removed up to here. */
  knowsRemovedUpTo?: number
}

/** What live members are shown next, and up to where they are served then. */
interface Prepared {
  readonly shown: readonly ResultPayload[]
  readonly upTo: number
}

/** What a member that catches up is shown next. */
interface CaughtUp extends Prepared {
  readonly removedUpTo: number | null
}

export interface ShareGroupOptions {
  readonly operation: LogOperation
  readonly following: Following
  /** The seq after which live members are served. */
  readonly head: number
  /** A fresh context for one execution. */
  readonly createContext: () => object
  /** How large an event may be as it is shown; a larger one is an error in its place. */
  readonly maxResponseBytes: () => number
  /** Participants may have changed: resolves when those who may not see the session any more have been removed. */
  readonly onSessionUpdated: () => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export class ShareGroup {
  readonly members = new Set<Member>()
  readonly #options: ShareGroupOptions
  readonly #live = new Set<Member>()
  #payloads = new PayloadCache()
  readonly #projection: EventProjection
  /** Texts were taken out of the events before this seq: what shows them may be older than that, and is not kept. */
  #erasedAt = 0
  readonly #working = new Set<Promise<void>>()
  #head: number
  /** A delivery begins with the next turn of the event loop. */
  #isWoken = false
  /** What a delivery that began without a promise came to wait for: whether there may be more behind it. */
  #begun: Promise<boolean> | null = null
  readonly #deliveries = new Coalesced(() => this.#deliverNew())

  constructor(options: ShareGroupOptions) {
    this.#options = options
    this.#head = options.head
    const { args, view } = options.operation
    this.#projection = new EventProjection(args, view.typeNameOf)
  }

  /** Serves the member from its cursor on; `snapshot`: after that entry. */
  add(member: Member, snapshot: LogEntry | null): void {
    this.members.add(member)
    this.#work(this.#catchUp(member, snapshot))
    // The log may have grown while the group had no members: delivery stops then.
    this.wake()
  }

  remove(member: Member): void {
    member.open = false
    this.members.delete(member)
    this.#live.delete(member)
  }

  /** Ends the member's subscription with this error. */
  fail(member: Member, error: GraphQLError): void {
    if (!member.open) return
    this.remove(member)
    member.subscriber.fail(error)
  }

  /** The log grew. What happens within one turn of the event loop is delivered together. */
  wake(): void {
    if (this.#isWoken) return
    this.#isWoken = true
    wakeSoon(this)
  }

  /** What events show has changed without an event: what is kept of them, or being made, is given to no newcomer. */
  forget(): void {
    this.#payloads = new PayloadCache()
  }

  /** Called by `wakeSoon`. What needs no promise is delivered without any: that is most of what a delivery costs. */
  awaken(): (() => void) | null {
    this.#isWoken = false
    if (this.#deliveries.isBusy) {
      void this.#deliveries.run()
      return null
    }
    const next = this.#nextAtOnce()
    if (next === null) return null
    if (next instanceof Promise) {
      this.#goOn(next.then((prepared) => this.#deliver(prepared)))
      return null
    }
    return () => {
      const rest = this.#deliver(next) ? this.#deliverAtOnce() : null
      if (rest !== null) this.#goOn(rest)
    }
  }

  /** Resolves when nothing is being read or executed any more. */
  async settled(): Promise<void> {
    for (;;) {
      if (this.#isWoken) await new Promise<void>((resolve) => wakeSoon({ awaken: () => resolve }))
      else if (this.#deliveries.isBusy) await this.#deliveries.settled()
      else if (this.#working.size > 0) await Promise.all(this.#working)
      else return
    }
  }

  #work(work: Promise<void>): void {
    this.#working.add(work)
    void work.finally(() => this.#working.delete(work))
  }

  /** A delivery that began without a promise goes on with this one: whether there may be more behind it. */
  #goOn(begun: Promise<boolean>): void {
    this.#begun = begun
    void this.#deliveries.run()
  }

  /** Null: all that there is was delivered, or nothing of it can be now. */
  #deliverAtOnce(): Promise<boolean> | null {
    for (;;) {
      const next = this.#nextAtOnce()
      if (next === null) return null
      if (next instanceof Promise) return next.then((prepared) => this.#deliver(prepared))
      if (!this.#deliver(next)) return null
    }
  }

  /** Null: there is nothing, or nothing that can be delivered now. */
  #nextAtOnce(): Prepared | Promise<Prepared> | null {
    if (this.members.size === 0) return null
    try {
      return this.#next()
    } catch (error) {
      this.#recover(error)
      return null
    }
  }

  /** Serves live members up to the end of the log. */
  async #deliverNew(): Promise<void> {
    try {
      const begun = this.#begun
      this.#begun = null
      let isMore = begun === null || (await begun)
      while (isMore && this.members.size > 0) isMore = this.#deliver(await this.#next())
    } catch (error) {
      this.#recover(error)
    }
  }

  /** What comes after `#head`, executed. */
  #next(): Prepared | Promise<Prepared> {
    const reading = this.#options.following.read(this.#head)
    return reading instanceof Promise ? reading.then((read) => this.#prepare(read)) : this.#prepare(reading)
  }

  #prepare(read: Read | null): Prepared | Promise<Prepared> {
    if (read === null) return { shown: [], upTo: this.#head }
    const updates = read.events.filter((event) => event.type === 'SessionUpdated')
    if (updates.length === 0) return this.#prepareEvents(read)
    // First: who was removed is not shown what happened after that.
    return this.#options.onSessionUpdated().then(() => {
      this.#forgetBefore(updates.findLast((event) => event.erased === true)?.seq ?? 0)
      return this.#prepareEvents(read)
    })
  }

  #prepareEvents({ events, upTo }: Read): Prepared | Promise<Prepared> {
    const shown = this.#show(events)
    return shown instanceof Promise ? shown.then((all) => ({ shown: all, upTo })) : { shown, upTo }
  }

  #recover(error: unknown): void {
    const { clock, logger, metrics } = this.#options
    if (error instanceof AppError) {
      logger.warn({ error: reasonOf(error) }, 'events could not be read; retrying')
      clock.after(RETRY_MS, () => this.wake())
      return
    }
    const masked = maskError(error, { logger, metrics })
    for (const member of this.members) this.fail(member, masked)
  }

  /** Whether there may be more. */
  #deliver({ shown, upTo }: Prepared): boolean {
    for (const piece of piecesOf(shown)) {
      const batch = new Batch(piece)
      const first = piece[0]?.seq ?? 0
      const last = piece.at(-1)?.seq ?? 0
      for (const member of this.#live) {
        if (member.cursor >= last) continue
        if (member.subscriber.bufferedBytes > MAX_BUFFERED_BYTES) {
          this.#cut(member)
          continue
        }
        member.subscriber.send(member.cursor < first ? batch : batchAfter(piece, member.cursor))
        member.cursor = last
      }
      this.#options.metrics.eventsDelivered.inc(piece.length * this.#live.size)
    }
    const isMore = upTo > this.#head
    this.#head = upTo
    return isMore
  }

  async #catchUp(member: Member, snapshot: LogEntry | null): Promise<void> {
    const { logger, metrics, clock } = this.#options
    try {
      if (snapshot !== null) {
        const payload = await this.#payloadOf(snapshot, this.#options.createContext)
        await this.#send(member, [{ seq: snapshot.seq, payload }])
      }
      while (member.open && member.cursor < this.#head) {
        const next = await retrying(() => this.#shownAfter(member.cursor), { clock, logger, member })
        if (next === null) return
        if (next.removedUpTo !== null && !(await this.#sendRemoved(member, next.removedUpTo))) return
        for (const piece of piecesOf(next.shown)) await this.#send(member, piece)
        member.cursor = next.upTo
      }
      // No await since the comparison: nothing can have been delivered in between.
      if (member.open) this.#live.add(member)
    } catch (error) {
      this.fail(member, maskError(error, { logger, metrics }))
    }
  }

  /**
   * The member comes from before what was removed from the log: it is shown the session as it is, then what is left.
   * Once: pages that follow lie before it as well. False: its view cannot show that, so its subscription has ended.
   */
  async #sendRemoved(member: Member, removedUpTo: number): Promise<boolean> {
    if (member.knowsRemovedUpTo === removedUpTo) return true
    member.knowsRemovedUpTo = removedUpTo
    const { operation, clock } = this.#options
    const { cursor: seq } = member
    if (!operation.view.startsWithSnapshot) {
      // It asks for all that there is, and has kept nothing of what is gone.
      if (seq === 0) return true
      this.fail(member, cursorTooOld(seq, removedUpTo))
      return false
    }
    const { sessionId } = operation
    const entry = { type: 'SessionSnapshot', seq, at: clock.now(), sessionId, turnId: null, removedUpTo } as const
    await this.#send(member, [{ seq, payload: await this.#payloadOf(entry, this.#options.createContext) }])
    return true
  }

  /** Not beyond `#head`: whether the members may see what comes after it is not certain yet. */
  async #shownAfter(cursor: number): Promise<CaughtUp | null> {
    const read = await this.#options.following.read(cursor)
    if (read === null) return null
    const head = this.#head
    const events = read.upTo > head ? read.events.filter(({ seq }) => seq <= head) : read.events
    return { shown: await this.#show(events), upTo: Math.min(read.upTo, head), removedUpTo: read.removedUpTo ?? null }
  }

  /** Sends to a member that catches up, at the pace at which it takes. */
  async #send(member: Member, piece: readonly ResultPayload[]): Promise<void> {
    if (!member.open) return
    const { subscriber } = member
    subscriber.send(new Batch(piece))
    this.#options.metrics.eventsDelivered.inc(piece.length)
    if (subscriber.bufferedBytes <= ENOUGH_BUFFERED_BYTES) return
    const waited = new AbortController()
    const stalled = this.#options.clock.sleep(STALLED_MS, waited.signal).then(() => 'stalled' as const)
    const outcome = await Promise.race([subscriber.drained(), stalled])
    waited.abort()
    if (outcome === 'stalled' && member.open) this.#cut(member)
  }

  #cut(member: Member): void {
    this.remove(member)
    member.subscriber.cut()
  }

  /** One context for all of them, so that what they load is loaded together. */
  #show(events: readonly SessionEvent[]): readonly ResultPayload[] | Promise<readonly ResultPayload[]> {
    const admitted = events.filter((event) => this.#options.operation.view.admits(event))
    let context: object | null = null
    const contextOf = (): object => (context ??= this.#options.createContext())
    const payloads = admitted.map((event) => this.#payloadOf(event, contextOf))
    const ready = payloads.filter((payload) => typeof payload === 'string')
    if (ready.length === payloads.length) return pair(admitted, ready)
    return Promise.all(payloads.map(async (payload) => payload)).then((all) => pair(admitted, all))
  }

  #forgetBefore(seq: number): void {
    if (seq <= this.#erasedAt) return
    this.#erasedAt = seq
    this.forget()
  }

  #payloadOf(entry: LogEntry, contextOf: () => object): Bytes | Promise<Bytes> {
    const payloads = this.#payloads
    const known = payloads.get(entry)
    if (known !== null) return known
    const { operation, metrics, maxResponseBytes } = this.#options
    metrics.eventExecutions.inc()
    const projected = this.#projection.project(entry)
    if (projected !== null && projected.length * MOST_BYTES_PER_CHARACTER <= maxResponseBytes())
      return this.#keep(payloads, entry, toBytes(projected))
    const result = executeEvent({ ...operation.args, rootValue: entry, contextValue: contextOf() })
    if (!(result instanceof Promise)) return this.#serialise(payloads, entry, result)
    // Kept where it was begun: what is forgotten meanwhile may stand in it.
    const running = result.then((settled) => this.#serialise(payloads, entry, settled))
    return entry.seq < this.#erasedAt ? running : payloads.keepRunning(entry, running)
  }

  /** Throws an AppError when the event cannot be shown at the moment: it is not skipped, but shown later. */
  #serialise(payloads: PayloadCache, entry: LogEntry, result: ExecutionResult): Bytes {
    const { logger, metrics, maxResponseBytes } = this.#options
    const masked = fitResult(maskResult(result, { logger, metrics }), maxResponseBytes())
    if (masked.errors?.some(({ extensions }) => extensions['code'] === UNAVAILABLE) === true) {
      throw new AppError(UNAVAILABLE, 'What an event tells of could not be loaded.', { retry: 'backoff' })
    }
    const payload = toBytes(JSON.stringify(masked))
    // An error may be transient: it is not shared, so that the next execution can succeed.
    if (result.errors !== undefined) return payload
    this.#projection.shown(entry)
    return this.#keep(payloads, entry, payload)
  }

  #keep(payloads: PayloadCache, entry: LogEntry, payload: Bytes): Bytes {
    return this.members.size > 1 && entry.seq >= this.#erasedAt ? payloads.keep(entry, payload) : payload
  }
}

function cursorTooOld(after: number, removedUpTo: number): GraphQLError {
  const message = `"after" is ${after}, and events up to ${removedUpTo} were removed for their age. Read anew what you have kept, and subscribe after ${removedUpTo}.`
  return new GraphQLError(message, { extensions: { code: 'CURSOR_TOO_OLD', removedUpTo } })
}

function pair(events: readonly SessionEvent[], payloads: readonly Bytes[]): readonly ResultPayload[] {
  return payloads.map((payload, index) => ({ seq: events[index]?.seq ?? 0, payload }))
}

function batchAfter(piece: readonly ResultPayload[], cursor: number): Batch {
  return new Batch(piece.filter(({ seq }) => seq > cursor))
}

function* piecesOf(shown: readonly ResultPayload[]): Generator<readonly ResultPayload[]> {
  let piece: ResultPayload[] = []
  let bytes = 0
  for (const one of shown) {
    piece.push(one)
    bytes += one.payload.length
    if (bytes < BATCH_BYTES) continue
    yield piece
    piece = []
    bytes = 0
  }
  if (piece.length > 0) yield piece
}

/** Retries while the database is away, until the member has left. */
function retrying<Answer>(
  ask: () => Promise<Answer>,
  { clock, logger, member }: { clock: Clock; logger: Logger; member: Member },
): Promise<Answer | null> {
  return retried(ask, {
    clock,
    pauses: { firstMs: RETRY_MS, maxMs: RETRY_MS },
    isWanted: () => member.open,
    onFailure: (error) => {
      if (!(error instanceof AppError)) throw error
      logger.warn({ error: reasonOf(error) }, 'events could not be read; retrying')
    },
  })
}
