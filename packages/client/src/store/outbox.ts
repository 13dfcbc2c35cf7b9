/**
 * Messages of this page on their way: shown at once, sent without doubling, and known again by their idempotency key
 * when the log shows them, whether the answer to the sending came before or after.
 */
import type { SendOptions } from '../session-client.ts'
import type { PersonEntry, SendingState } from './session-state.ts'

/**
 * A message of this page that the log does not show yet. `at`: when it was written, by the clock of the page, as ISO
 * 8601. `options`: what else it is sent with, each time; the signal is of one sending alone.
 */
export interface Outgoing {
  readonly idempotencyKey: string
  readonly content: string
  readonly options: Omit<SendOptions, 'idempotencyKey' | 'signal'>
  readonly at: string
  readonly sending: SendingState
}

/** How many sent messages keep the key under which they were shown. */
const MAX_REMEMBERED = 200

/** In memory alone: what is under way when a page is closed may have arrived or not. */
export class Outbox {
  #outgoing: readonly Outgoing[] = []
  /** Idempotency keys of this page: those are the keys of their entries. */
  readonly #own = new Set<string>()

  /** In the order in which they were added. */
  get outgoing(): readonly Outgoing[] {
    return this.#outgoing
  }

  /** The key of the entry of a message of this page. */
  readonly keyOf = (idempotencyKey: string | null): string | undefined =>
    idempotencyKey !== null && this.#own.has(idempotencyKey) ? idempotencyKey : undefined

  /** The message with that key; undefined once it has arrived or is given up. */
  find(idempotencyKey: string): Outgoing | undefined {
    return this.#outgoing.find((one) => one.idempotencyKey === idempotencyKey)
  }

  /** Shows a message; its key must not have been added before. */
  add(outgoing: Outgoing): void {
    this.#own.add(outgoing.idempotencyKey)
    const [oldest] = this.#own
    if (this.#own.size > MAX_REMEMBERED && oldest !== undefined) this.#own.delete(oldest)
    this.#outgoing = [...this.#outgoing, outgoing]
  }

  /** How the sending of one goes; without effect once it is no longer there. */
  change(idempotencyKey: string, sending: SendingState): void {
    this.#outgoing = this.#outgoing.map((one) => (one.idempotencyKey === idempotencyKey ? { ...one, sending } : one))
  }

  /** It has arrived, or is given up. */
  remove(idempotencyKey: string): void {
    if (this.find(idempotencyKey) !== undefined)
      this.#outgoing = this.#outgoing.filter((one) => one.idempotencyKey !== idempotencyKey)
  }
}

/** The entry that shows it, behind all of the log. */
export function entryOf({ idempotencyKey, content, options, at, sending }: Outgoing): PersonEntry {
  return {
    kind: 'person',
    key: idempotencyKey,
    seq: null,
    at,
    turnId: null,
    content,
    author: null,
    message: null,
    files: options.attachments ?? [],
    sending,
  }
}
