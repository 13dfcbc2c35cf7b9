/**
 * The events of a subscription as one result, which grows: GraphiQL shows one result at a time, and would show the last
 * event alone. A busy log is shown a few times a second.
 */

/** More make the browser slow; the first are left out then. */
const MAX_EVENTS = 1000
const SHOW_MS = 100

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
