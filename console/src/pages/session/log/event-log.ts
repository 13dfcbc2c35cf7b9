/** The newest events of a session as they are, live, with a pause; older ones page by page. */
import { ClientError, type SessionEvent } from '@factotum/client'
import { client, run } from '../../../data/client.ts'
import { RawLogDocument } from '../../../generated/graphql.ts'
import { EMPTY_LOG, paused, resumed, withNew, withOlder, type LogState } from './log-state.ts'

const PAGE = 100
const SHOW_EVERY_MS = 100

export class EventLog {
  readonly #id: string
  readonly #listeners = new Set<() => void>()
  #state = EMPTY_LOG
  #coming: SessionEvent[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #following: AbortController | null = null
  #isReadingOlder = false

  constructor(id: string) {
    this.#id = id
  }

  readonly getSnapshot = (): LogState => this.#state

  /** Follows the log while something listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#following === null) {
      this.#following = new AbortController()
      void this.#follow(this.#following.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#following?.abort()
      this.#following = null
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  /** Does nothing while a page is being read, and when there is none. */
  readonly readOlder = async (): Promise<void> => {
    const [oldest] = this.#state.events
    if (this.#isReadingOlder || !this.#state.hasOlder || oldest === undefined) return
    this.#isReadingOlder = true
    try {
      const { session } = await run(RawLogDocument, { id: this.#id, last: PAGE, before: String(oldest.seq) })
      const older = session?.events.edges.map(({ node }) => node) ?? []
      this.#become(withOlder(this.#state, older, session?.events.pageInfo.hasPreviousPage === true))
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
    } finally {
      this.#isReadingOlder = false
    }
  }

  /** Holds back what comes, until `resume`. */
  readonly pause = (): void => this.#become(paused(this.#state))

  readonly resume = (): void => this.#become(resumed(this.#state))

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      const { session } = await client.read(RawLogDocument, { id: this.#id, last: PAGE }, { signal })
      const events = session?.events.edges.map(({ node }) => node) ?? []
      this.#become({ events, hasOlder: session?.events.pageInfo.hasPreviousPage === true, problem: null })
      for await (const event of client.session(this.#id).events({ after: events.at(-1)?.seq ?? 0, signal }))
        this.#add(event)
    } catch (error) {
      if (!signal.aborted) this.#become({ problem: error instanceof Error ? error.message : String(error) })
    }
  }

  /** A burst of events is shown together. */
  #add(event: SessionEvent): void {
    this.#coming.push(event)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const coming = this.#coming
      this.#coming = []
      this.#become(withNew(this.#state, coming))
    }, SHOW_EVERY_MS)
  }

  #become(part: Partial<LogState>): void {
    this.#state = { ...this.#state, ...part }
    for (const listener of this.#listeners) listener()
  }
}
