/**
 * Secrets that people said in messages, in the memory of the process that runs the session and nowhere else. Held while
 * a run of the session goes on, and `worker_idle_timeout` longer; then they are gone, and must be said again.
 */
import type { Clock } from '../platform/clock.ts'
import { Redactor } from './redaction.ts'

export interface EphemeralSecretsOptions {
  readonly clock: Clock
  readonly idleTimeoutMs: () => number
}

/** `key` null: redacted, but no task can ask for it by name. */
export interface SaidSecret {
  readonly key: string | null
  readonly value: string
}

interface Held {
  /** Key → value. */
  readonly values: Map<string, string>
  /** A value that was replaced is still a secret. */
  readonly all: Set<string>
  redactor: Redactor
}

/** Of all values of a session together: building the patterns of so much text takes some 50 ms. */
const MAX_CHARS = 16_384

const NOTHING: ReadonlyMap<string, string> = new Map()

export class EphemeralSecrets {
  readonly #options: EphemeralSecretsOptions
  readonly #held = new Map<string, Held>()
  /** Runs of the session under way. */
  readonly #runs = new Map<string, number>()
  readonly #cancelDrop = new Map<string, () => void>()

  constructor(options: EphemeralSecretsOptions) {
    this.#options = options
  }

  /** Adds to what the session's secrets are; a key that is known gets the new value. */
  remember(sessionId: string, secrets: readonly SaidSecret[]): void {
    if (secrets.length === 0) return
    const held = this.#held.get(sessionId) ?? { values: new Map(), all: new Set(), redactor: Redactor.none }
    for (const { key, value } of secrets) {
      if (key !== null) held.values.set(key, value)
      held.all.add(value)
    }
    forgetOldest(held)
    held.redactor = Redactor.of(held.all)
    this.#held.set(sessionId, held)
    if (!this.#runs.has(sessionId)) this.#dropLater(sessionId)
  }

  valuesOf(sessionId: string): ReadonlyMap<string, string> {
    return this.#held.get(sessionId)?.values ?? NOTHING
  }

  redactorOf(sessionId: string): Redactor {
    return this.#held.get(sessionId)?.redactor ?? Redactor.none
  }

  /** Of all sessions. */
  redactors(): Iterable<Redactor> {
    return this.#held.values().map((held) => held.redactor)
  }

  /** A run of the session begins: nothing is dropped until the returned function is called. */
  hold(sessionId: string): () => void {
    this.#cancelDrop.get(sessionId)?.()
    this.#cancelDrop.delete(sessionId)
    this.#runs.set(sessionId, (this.#runs.get(sessionId) ?? 0) + 1)
    return () => {
      const others = (this.#runs.get(sessionId) ?? 1) - 1
      if (others > 0) return void this.#runs.set(sessionId, others)
      this.#runs.delete(sessionId)
      if (this.#held.has(sessionId)) this.#dropLater(sessionId)
    }
  }

  /** The session is gone: who opens another of this id must not find what was said in it. */
  forget(sessionId: string): void {
    this.#cancelDrop.get(sessionId)?.()
    this.#cancelDrop.delete(sessionId)
    this.#held.delete(sessionId)
  }

  /** Forgets everything at once. */
  clear(): void {
    for (const cancel of this.#cancelDrop.values()) cancel()
    this.#cancelDrop.clear()
    this.#held.clear()
  }

  #dropLater(sessionId: string): void {
    this.#cancelDrop.get(sessionId)?.()
    const cancel = this.#options.clock.after(this.#options.idleTimeoutMs(), () => {
      this.#cancelDrop.delete(sessionId)
      this.#held.delete(sessionId)
    })
    this.#cancelDrop.set(sessionId, cancel)
  }
}

/**
 * Those without a key go first: a message with thousands of texts that look like secrets drives out none that a skill
 * may ask for.
 */
function forgetOldest({ values, all }: Held): void {
  let chars = [...all].reduce((sum, value) => sum + value.length, 0)
  const named = new Set(values.values())
  const order = [...all].sort((a, b) => Number(named.has(a)) - Number(named.has(b)))
  for (const oldest of order) {
    if (chars <= MAX_CHARS) return
    chars -= oldest.length
    all.delete(oldest)
    for (const [key, value] of values) if (value === oldest) values.delete(key)
  }
}
