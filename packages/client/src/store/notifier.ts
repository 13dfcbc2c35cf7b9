/** Listeners, called after changes: at once, then at most every 16 ms, so that a burst of events renders once. */
const EVERY_MS = 16

/** For one value that components listen to. A listener that throws keeps those behind it from being called. */
export class Notifier {
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #isDue = false

  /** Nothing listens. */
  get isIdle(): boolean {
    return this.#listeners.size === 0
  }

  /** Each call counts by itself, also with a function that listens already. */
  subscribe(listener: () => void): () => void {
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  /** Says that the value has changed; repeated within 16 ms it is said once more, at their end. */
  notify(): void {
    if (this.#timer !== null) {
      this.#isDue = true
      return
    }
    this.#timer = setTimeout(() => this.#tick(), EVERY_MS)
    for (const listener of this.#listeners) listener()
  }

  #tick(): void {
    this.#timer = null
    if (!this.#isDue) return
    this.#isDue = false
    this.notify()
  }
}
