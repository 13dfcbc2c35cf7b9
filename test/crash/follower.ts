/**
 * A subscriber as a frontend is one: follows a session's log from the start, and whenever the connection ends, for
 * whatever reason, comes back to any server with the last seq it has seen. Now and then it goes by itself, like a page
 * that is reloaded.
 */
import { FollowSessionDocument, type FollowSessionSubscription } from '../generated/graphql.ts'
import { ApiClient } from '../harness/api-client.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'

type FollowedEvent = FollowSessionSubscription['sessionEvents']

export interface FollowerOptions {
  readonly sessionId: string
  readonly transport: 'watch' | 'watchSse'
  readonly token: string
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

export interface Seen {
  readonly seq: number
  readonly type: FollowedEvent['__typename']
  /** A piece of text, which leaves the log when the text is whole. */
  readonly isPiece: boolean
}

/**
 * What may end a subscription although nothing is wrong with it; 4408: the server hung while the subscriber introduced
 * itself.
 */
const EXPECTED_END =
  /closed|complete|terminated|ECONN|socket|fetch failed|100[16]|4408|DATABASE_UNAVAILABLE|SHUTTING_DOWN/
const RELOAD_CHANCE = 0.01
const PAUSE_MS = 50

export class Follower {
  readonly options: FollowerOptions
  readonly seen: Seen[] = []
  /** Ends of subscriptions that have no good reason. */
  readonly complaints: string[] = []
  readonly #waiting: { readonly turns: number; readonly resolve: () => void }[] = []
  readonly #ended = new Set<string>()
  #connections = 0
  #stopping = false
  #close: () => void = () => {}

  constructor(options: FollowerOptions) {
    this.options = options
  }

  get connections(): number {
    return this.#connections
  }

  /** How many turns it has seen end. */
  get turnsEnded(): number {
    return this.#ended.size
  }

  /** Follows until `stop`. Rejects when there is no server to be had. */
  async follow(): Promise<void> {
    while (!this.#stopping) {
      await this.#followOnce()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  stop(): void {
    this.#stopping = true
    this.#close()
  }

  /** Resolves when it has seen the end of so many turns. */
  untilTurnsEnded(turns: number): Promise<void> {
    if (this.#ended.size >= turns) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ turns, resolve }))
  }

  async #followOnce(): Promise<void> {
    const { anyUrl, random, token, transport, sessionId } = this.options
    const client = new ApiClient(await anyUrl(random), token)
    this.#connections += 1
    const after = this.seen.at(-1)?.seq ?? 0
    await using watch = client[transport](FollowSessionDocument, { sessionId, after })
    this.#close = () => void watch.close()
    try {
      await watch.until(({ sessionEvents }) => this.#note(sessionEvents))
    } catch (error) {
      if (!EXPECTED_END.test(String(error))) this.complaints.push(`${sessionId} by ${transport}: ${String(error)}`)
    }
  }

  /** Whether the page is reloaded now. */
  #note(event: FollowedEvent): boolean {
    const isPiece = event.__typename === 'TextDeltaEvent'
    this.seen.push({ seq: event.seq, type: event.__typename, isPiece })
    const { sessionId } = this.options
    // A name that was cut off with a long text says nothing.
    const named = JSON.stringify(event).match(/cli:storm-[\w-]+(?![\w-]|…)/g) ?? []
    if (named.some((id) => id !== sessionId)) this.complaints.push(`${sessionId} was told of ${named.join(', ')}`)
    if (event.__typename === 'TurnCompletedEvent') this.#ended.add(event.turnId ?? '')
    for (const { turns, resolve } of this.#waiting) if (this.#ended.size >= turns) resolve()
    return this.options.random.chance(RELOAD_CHANCE)
  }
}
