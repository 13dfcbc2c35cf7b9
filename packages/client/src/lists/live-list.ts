/**
 * A list that stays live: its first entries, read again whenever an update says that it may have changed. Reading,
 * rather than guessing from updates, keeps its order and its filter those of the server.
 */
import { ClientError } from '../client-error.ts'
import type { ReadingClient } from '../reading-client.ts'
import type { TypedDocument } from '../connection.ts'
import { keepTrying } from '../keep-trying.ts'
import { linger } from '../linger.ts'
import { Notifier } from '../store/notifier.ts'
import { share } from '../store/share.ts'
import { pause } from '../pause.ts'

/** What a list shows: one immutable value, which stays the same where nothing changed. */
export interface ListState<Item> {
  /**
   * 'failed': `error` says why. It is tried again by itself while something listens, and becomes 'ready' once it goes
   * well; where the server refuses who asks, or what for, when something listens anew and with `loadMore`.
   */
  readonly status: 'loading' | 'ready' | 'failed'
  readonly error: ClientError | null
  readonly items: readonly Item[]
  /** More than are shown: see `loadMore`. */
  readonly hasMore: boolean
}

interface Page<Item> {
  readonly list: {
    readonly edges: readonly { readonly node: Item }[]
    readonly pageInfo: { readonly hasNextPage: boolean }
  } | null
}

/** Where a list comes from: a page of it, and a subscription to what may have changed it. */
export interface ListSource<Item, Filter> {
  readonly list: TypedDocument<Page<Item>, { first: number; filter?: Filter | null }>
  readonly updates: TypedDocument<unknown, Record<string, never>>
}

const PAGE_SIZE = 50
/** The server gives no longer pages. */
const MAX_SIZE = 100
const AT_MOST_EVERY_MS = 250

/**
 * Follows the server from its first listener until 5 s after its last; reads at most four times a second. A connection
 * that breaks is made anew; what cannot be read is `status` "failed" until it can, and nothing throws. Asking for one
 * more reading while one is under way is a pair of fields of its own: `Coalesced` is of the server, and a page would
 * load it for this alone.
 */
export class LiveList<Item extends { readonly id: string }, Filter = unknown> {
  readonly #client: ReadingClient
  readonly #source: ListSource<Item, Filter>
  readonly #filter: Filter | null
  readonly #notifier = new Notifier()
  #state: ListState<Item> = { status: 'loading', error: null, items: [], hasMore: false }
  #size = PAGE_SIZE
  #following: AbortController | null = null
  /** Aborted when something listens again. */
  #linger = new AbortController()
  #isDue = false
  /** The following for which it is being read. */
  #reading: AbortSignal | null = null

  constructor(client: ReadingClient, source: ListSource<Item, Filter>, filter: Filter | null) {
    this.#client = client
    this.#source = source
    this.#filter = filter
  }

  /** Nothing listens to it. */
  get isIdle(): boolean {
    return this.#notifier.isIdle
  }

  readonly getSnapshot = (): ListState<Item> => this.#state

  /** The first listener begins to follow the list; the last ends it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#notifier.subscribe(listener)
    this.#start()
    return () => {
      unsubscribe()
      if (this.isIdle) this.#linger = linger(this.#client, () => this.#stop(), this.#linger)
    }
  }

  /**
   * Shows more of it, at most 100. Does nothing while there is no more; where it has failed, it tries again at once.
   * What becomes of it is in the state.
   */
  readonly loadMore = (): void => {
    const { status, hasMore } = this.#state
    if (hasMore) this.#size = MAX_SIZE
    if (status === 'failed') {
      this.#stop()
      if (!this.isIdle) this.#start()
    } else if (hasMore && this.#following !== null) void this.#read(this.#following.signal)
  }

  #start(): void {
    this.#linger.abort()
    if (this.#following !== null) return
    this.#following = new AbortController()
    const { signal } = this.#following
    void this.#try(() => this.#follow(signal), signal, true)
  }

  #stop(): void {
    this.#following?.abort()
    this.#following = null
  }

  #try(attempt: () => Promise<void>, signal: AbortSignal, isFollowing = false): Promise<void> {
    const fail = (error: ClientError, isFinal: boolean): void => {
      // What is still being read must not make it "ready": nothing follows it any more. What cannot be read is read
      // again after the next update.
      if (isFinal && isFollowing) this.#stop()
      this.#show({ ...this.#state, status: 'failed', error })
    }
    return keepTrying(attempt, { client: this.#client, signal, fail })
  }

  async #follow(signal: AbortSignal): Promise<void> {
    // The first update says that the list is to be read.
    for await (const _ of this.#client.subscribe(this.#source.updates, {}, { signal })) void this.#read(signal)
  }

  /** Reads it; what changes meanwhile makes it be read once more. */
  async #read(signal: AbortSignal): Promise<void> {
    this.#isDue = true
    if (this.#reading === signal) return
    this.#reading = signal
    while (this.#isDue && !signal.aborted) {
      this.#isDue = false
      await this.#try(() => this.#readOnce(signal), signal)
      await pause(AT_MOST_EVERY_MS, this.#client.until(signal))
    }
    if (this.#reading === signal) this.#reading = null
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const variables = { first: this.#size, filter: this.#filter }
    const { list } = await this.#client.read(this.#source.list, variables, { signal })
    if (signal.aborted) return
    if (list === null) throw new ClientError('FORBIDDEN', 'Only for admins.')
    const items = list.edges.map(({ node }) => node)
    this.#show({ status: 'ready', error: null, items, hasMore: list.pageInfo.hasNextPage && this.#size < MAX_SIZE })
  }

  #show(state: ListState<Item>): void {
    const shared = share(this.#state, state)
    if (shared === this.#state) return
    this.#state = shared
    this.#notifier.notify()
  }
}
