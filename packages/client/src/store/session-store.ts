/**
 * A session as a page shows it: read once, kept right by its events, shared by all components. It follows the session
 * while something listens, and a little longer, so that a component which is mounted anew finds it warm.
 */
import { asClientError, type ClientError } from '../client-error.ts'
import type { ReadingClient } from '../reading-client.ts'
import { StoreEventsDocument, StorePageDocument, StoreTurnDocument } from '../generated/graphql.ts'
import { keepTrying } from '../keep-trying.ts'
import { linger } from '../linger.ts'
import { newKey } from '../new-key.ts'
import type { SendOptions, SendResult } from '../session-client.ts'
import { foldEvent, foldTurn } from './fold-event.ts'
import { foldOlder, foldPage } from './fold-page.ts'
import { Notifier } from './notifier.ts'
import { entryOf, Outbox } from './outbox.ts'
import { PAGE_SIZE, readOlder } from './read-older.ts'
import { NOTHING_YET, type Entry, type SessionState, type StoreEvent } from './session-state.ts'

/** After so many, besides those that were read back to, the oldest go, and can be read again with `loadOlder`. */
const MAX_ENTRIES = 2000
const KEPT_ENTRIES = 1500

type KeyedOptions = SendOptions & { readonly idempotencyKey: string }

/** Made by `sessionStore`. Methods need no `this` of their own, so they can be handed on. */
export class SessionStore {
  readonly id: string
  readonly #client: ReadingClient
  readonly #notifier = new Notifier()
  readonly #outbox = new Outbox()
  #folded: SessionState = NOTHING_YET
  #shown: SessionState = NOTHING_YET
  /** Opaque; null: the oldest entry came with an event, or newer ones were dropped. */
  #olderCursor: string | null = null
  /**
   * How often the page was read, or its oldest entries dropped. What was asked for before the last time may have been
   * erased since, or be older than what is older now.
   */
  #pages = 0
  #maxEntries = MAX_ENTRIES
  #following: AbortController | null = null
  /** Aborted when something listens again. */
  #linger = new AbortController()
  #stopWatching: () => void = () => {}
  /** Of the message that was sent last. Requests side by side could overtake each other. */
  #lastDelivered: Promise<unknown> = Promise.resolve()

  constructor(client: ReadingClient, id: string) {
    this.#client = client
    this.id = id
  }

  /** Nothing listens to it, and no message of it is on its way or waits to be sent again. */
  get isIdle(): boolean {
    return this.#notifier.isIdle && this.#outbox.outgoing.every(({ sending }) => sending.status === 'REFUSED')
  }

  /** What is shown now. The same value until it changes. */
  readonly getSnapshot = (): SessionState => this.#shown

  /**
   * Calls `listener` after changes, at most once in 16 ms. The first begins to follow the session; the last ends it.
   */
  readonly subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#notifier.subscribe(listener)
    this.#start()
    return () => {
      unsubscribe()
      if (this.#notifier.isIdle) this.#linger = linger(this.#client, () => this.#stop(), this.#linger)
    }
  }

  /**
   * Shows the message at once and sends it. What becomes of it is in its entry: accepted, FAILED (see `retry`), or
   * REFUSED with a problem; the answer has the rest. Rejects when the signal is aborted or the client closed, with
   * that reason; the entry is FAILED then. Messages arrive in the order of the calls: each waits until those before it
   * are accepted, FAILED or REFUSED.
   */
  readonly send = async (content: string, all: SendOptions = {}): Promise<SendResult | ClientError> => {
    const { signal: _, idempotencyKey: given, ...options } = all
    const idempotencyKey = given ?? newKey()
    const sending = { status: 'SENDING', problem: null } as const
    this.#outbox.add({ idempotencyKey, content, options, at: new Date().toISOString(), sending })
    this.#show()
    return this.#deliver(content, { ...all, idempotencyKey })
  }

  /** Sends an entry that FAILED again: the same message with the same options, which the server takes once. */
  readonly retry = async (key: string): Promise<SendResult | ClientError | null> => {
    const outgoing = this.#outbox.find(key)
    if (outgoing?.sending.status !== 'FAILED') return null
    this.#outbox.change(key, { status: 'SENDING', problem: null })
    this.#show()
    return this.#deliver(outgoing.content, { ...outgoing.options, idempotencyKey: key })
  }

  /** Takes an entry that FAILED or was REFUSED off the page. */
  readonly discard = (key: string): void => {
    if (this.#outbox.find(key)?.sending.status === 'SENDING') return
    this.#outbox.remove(key)
    this.#show()
  }

  /**
   * Reads the page of entries before the oldest one. Does nothing while it does so already, and when there are none.
   */
  readonly loadOlder = (): Promise<void> => this.#loadUntil(Infinity)

  /**
   * The same, with all entries back to the one with that seq, such as one that was found: 100 a request, shown at once
   * when all are there.
   */
  readonly loadBackTo = (seq: number): Promise<void> => this.#loadUntil(seq)

  /** Reads a turn that is not in `turns`, with its plans and outputs, such as of an entry that was paged back to. */
  readonly loadTurn = async (turnId: string): Promise<void> => {
    if (this.#folded.turns[turnId] !== undefined) return
    const page = this.#pages
    const { turn } = await this.#client.read(StoreTurnDocument, { id: turnId })
    if (page !== this.#pages) return this.loadTurn(turnId)
    if (turn !== null) this.#change(foldTurn(this.#folded, turn))
  }

  /** Reads the page anew and at once, such as after `failed`. */
  readonly reload = (): void => {
    this.#stop()
    if (!this.#notifier.isIdle) this.#start()
  }

  async #loadUntil(until: number): Promise<void> {
    const { hasOlder, isLoadingOlder, entries } = this.#folded
    if (!hasOlder || isLoadingOlder) return
    this.#change({ isLoadingOlder: true })
    const page = this.#pages
    try {
      const oldestSeq = entries[0]?.seq ?? null
      const place = { id: this.id, cursor: this.#olderCursor, oldestSeq, until }
      const older = await readOlder(this.#client, place, this.#outbox.keyOf)
      if (page !== this.#pages) return
      this.#olderCursor = older.cursor
      this.#maxEntries += older.entries.length
      this.#folded = foldOlder(this.#folded, older.entries, older.hasOlder)
    } finally {
      this.#change({ isLoadingOlder: false })
    }
  }

  #deliver(content: string, options: KeyedOptions): Promise<SendResult | ClientError> {
    const delivered = this.#lastDelivered.then(() => this.#sendNow(content, options))
    this.#lastDelivered = delivered.catch(() => undefined)
    return delivered
  }

  async #sendNow(content: string, options: KeyedOptions): Promise<SendResult | ClientError> {
    const key = options.idempotencyKey
    try {
      const result = await this.#client.session(this.id).send(content, options)
      if (result.__typename !== 'SendMessagePayload')
        this.#outbox.change(key, { status: 'REFUSED', problem: result.problem })
      // Accepted: the log shows it, or has done so; where it is not followed, the page that is read next does.
      else if (result.duplicate || this.#following === null) this.#outbox.remove(key)
      this.#show()
      // What was refused is no longer: the session is there, anew perhaps, or the token a new one.
      if (result.__typename === 'SendMessagePayload' && !this.#notifier.isIdle) this.#start()
      return result
    } catch (error) {
      const problem = asClientError(error)
      this.#outbox.change(key, { status: 'FAILED', problem: problem.message })
      this.#show()
      // Such as the signal's reason: the entry stays, because the message may have arrived.
      if (problem !== error) throw error
      return problem
    }
  }

  #start(): void {
    this.#linger.abort()
    if (this.#following !== null) return
    this.#following = new AbortController()
    if (this.#folded.status === 'failed') this.#change({ status: 'loading', error: null })
    this.#stopWatching()
    this.#stopWatching = this.#client.watchConnection(() => this.#show())
    const fail = (error: ClientError, isFinal: boolean): void => {
      // Then the next listener begins anew.
      if (isFinal) this.#following = null
      this.#change({ status: 'failed', error })
    }
    const { signal } = this.#following
    void keepTrying(() => this.#follow(signal), { client: this.#client, signal, fail })
  }

  #stop(): void {
    this.#linger.abort()
    this.#following?.abort()
    this.#following = null
    this.#stopWatching()
  }

  /** Reads the page, then folds what comes after it; from the beginning when something was erased. */
  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { session } = await this.#client.read(StorePageDocument, { id: this.id, last: PAGE_SIZE }, { signal })
      if (signal.aborted) return
      this.#pages += 1
      this.#maxEntries = MAX_ENTRIES
      if (session === null) this.#folded = { ...NOTHING_YET, status: 'absent' }
      else {
        this.#folded = foldPage(session, this.#outbox.keyOf)
        this.#olderCursor = session.conversation.pageInfo.startCursor
      }
      for (const entry of this.#folded.entries) this.#outbox.remove(entry.key)
      this.#show()
      await this.#foldEvents(session?.view.version ?? 0, signal)
    }
  }

  /** Ends when the page is to be read anew. */
  async #foldEvents(after: number, signal: AbortSignal): Promise<void> {
    const variables = { sessionId: this.id, after }
    for await (const { sessionEvents: event } of this.#client.subscribe(StoreEventsDocument, variables, { signal })) {
      if (isToReadAnew(event)) return
      this.#fold(event)
    }
  }

  #fold(event: StoreEvent): void {
    const folded = foldEvent(this.#folded, event, this.#outbox.keyOf)
    if (folded === this.#folded) return
    if ('entry' in event && event.entry.__typename === 'PersonMessage' && event.entry.message.idempotencyKey !== null)
      this.#outbox.remove(event.entry.message.idempotencyKey)
    this.#folded = folded.status === 'absent' ? { ...folded, status: 'ready' } : folded
    this.#trim()
    this.#show()
  }

  #trim(): void {
    const { entries } = this.#folded
    if (entries.length <= this.#maxEntries) return
    this.#pages += 1
    this.#maxEntries = MAX_ENTRIES
    this.#olderCursor = null
    this.#folded = { ...this.#folded, entries: entries.slice(-KEPT_ENTRIES), hasOlder: true }
  }

  #change(part: Partial<SessionState>): void {
    this.#folded = { ...this.#folded, ...part }
    this.#show()
  }

  #show(): void {
    const connection = this.#client.connectionState
    const sending = this.#outbox.outgoing.map((outgoing): Entry => entryOf(outgoing))
    const entries = sending.length === 0 ? this.#folded.entries : [...this.#folded.entries, ...sending]
    if (connection === this.#folded.connection && sending.length === 0) this.#shown = this.#folded
    else this.#shown = { ...this.#folded, connection, entries }
    this.#notifier.notify()
  }
}

/** What is shown may be gone: it was erased, or removed for its age while the page was not connected. */
function isToReadAnew(event: StoreEvent): boolean {
  if (event.__typename === 'SessionSnapshot') return event.removedUpTo !== null
  return event.__typename === 'SessionUpdatedEvent' && event.erased
}
