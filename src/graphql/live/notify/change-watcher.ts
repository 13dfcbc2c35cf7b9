/**
 * One subscription to the changes of a list: which of its entries have changed and were not taken yet, or that the list
 * is to be read. It begins with that, so that a client which reads its list then has missed nothing.
 *
 * What must hold: it keeps a bounded number of ids. What changes before the client is told to read its list is in what
 * it reads, so nothing is kept of it.
 */
import { EndableGenerator } from '../../../platform/waiting/endable-generator.ts'

/** `id`: of the entry that is new or has changed; null: the list is to be read, as changes may have been missed. */
export interface ListChange {
  readonly id: string | null
}

/** With more changes that were not taken, the list is to be read instead. */
export const MAX_PENDING = 1000

export class ChangeWatcher extends EndableGenerator<ListChange> {
  readonly #onEnd: () => void
  readonly #pending = new Set<string>()
  #isMissing = true
  #wake: (() => void) | null = null

  constructor(onEnd: () => void) {
    super()
    this.#onEnd = onEnd
  }

  add(id: string): void {
    if (this.#isMissing) return
    this.#pending.add(id)
    if (this.#pending.size > MAX_PENDING) this.miss()
    else this.#wake?.()
  }

  /** Changes may have been missed. */
  miss(): void {
    this.#isMissing = true
    this.#pending.clear()
    this.#wake?.()
  }

  protected async take(): Promise<ListChange> {
    while (!this.#isMissing && this.#pending.size === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (this.#isMissing) {
      this.#isMissing = false
      return { id: null }
    }
    const [id = ''] = this.#pending
    this.#pending.delete(id)
    return { id }
  }

  protected onEnd(): void {
    this.#onEnd()
  }
}
