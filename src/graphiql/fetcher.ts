/** How GraphiQL asks: queries and mutations over HTTP, subscriptions over a WebSocket of their own. */
import { getOperationAST, parse } from 'graphql'
import type { GraphiQLProps } from 'graphiql'
import { createClient } from 'graphql-ws'
import { ENDPOINT, post, type Operation } from './post.ts'

type Fetcher = GraphiQLProps['fetcher']

/** As GraphiQL calls it, with an object; its types know other ways. */
interface Observable {
  subscribe(observer: { next(shown: object): void; complete(): void }): { unsubscribe(): void }
}

/** `headers`: as they stand in the editor when it is run. */
export const fetcher: Fetcher = (operation, options) => {
  const headers = (options?.headers ?? {}) as Record<string, string>
  return isSubscription(operation) ? (subscribe(operation, headers) as ReturnType<Fetcher>) : post(operation, headers)
}

function isSubscription({ query, operationName }: Operation): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription'
  } catch {
    // The server says what is wrong with it.
    return false
  }
}

function subscribe({ query, operationName, variables }: Operation, headers: Record<string, string>): Observable {
  return {
    subscribe: (observer) => {
      const url = new URL(ENDPOINT, location.href)
      url.protocol = url.protocol.replace('http', 'ws')
      // What comes after a break would stand below what came before it, as if nothing had been missed.
      const client = createClient({ url: url.href, connectionParams: headers, retryAttempts: 0 })
      const list = new EventList((shown) => observer.next(shown))
      const end = (reason: object | null): void => {
        list.end(reason)
        observer.complete()
        void client.dispose()
      }
      const asked = { query, operationName: operationName ?? null, variables: (variables ?? null) as null }
      const stop = client.subscribe(asked, {
        next: (event) => list.add(event),
        error: (error) => end(reasonOf(error)),
        complete: () => end(null),
      })
      return {
        unsubscribe: () => {
          stop()
          list.end(null)
          void client.dispose()
        },
      }
    },
  }
}

/** Errors of the operation, or how the connection closed. */
function reasonOf(error: unknown): object {
  if (Array.isArray(error)) return { errors: error }
  if (error instanceof CloseEvent) return { closed: `${error.code} ${error.reason}` }
  return { closed: error instanceof Error ? error.message : 'the connection failed' }
}

/** More make the browser slow; the first are left out then. */
const MAX_EVENTS = 1000
const SHOW_MS = 100

/**
 * The events of a subscription as one result, which grows: GraphiQL shows one result at a time, and would show the last
 * event alone. A busy log is shown a few times a second.
 */
export class EventList {
  readonly #show: (shown: object) => void
  readonly #events: unknown[] = []
  #leftOut = 0
  #timer: ReturnType<typeof setTimeout> | null = null
  #end: object | null = null
  #hasEnded = false

  constructor(show: (shown: object) => void) {
    this.#show = show
  }

  add(event: unknown): void {
    if (this.#hasEnded) return
    this.#events.push(event)
    if (this.#events.length > MAX_EVENTS) {
      this.#events.shift()
      this.#leftOut += 1
    }
    this.#timer ??= setTimeout(() => this.#flush(), SHOW_MS)
  }

  /** Shows what was not shown yet, with the reason if there is one. Nothing is shown afterwards. */
  end(reason: object | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#end = reason
    if (this.#timer !== null || reason !== null) this.#flush()
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const earlier = this.#leftOut === 0 ? {} : { earlierEventsLeftOut: this.#leftOut }
    this.#show({ ...earlier, events: this.#events, ...this.#end })
  }
}
