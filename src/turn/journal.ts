/**
 * How a turn writes. `record` takes an event and its changes and returns at once; writes are committed in the order in
 * which they were recorded, those that come within `LINGER_MS` or wait for a commit as one. `flushed` is the barrier:
 * after it, everything recorded is durable. A turn passes it before anything with an effect outside (a command, the end
 * of the turn); a model call it need not wait for. `hurry` is for what has had an effect already: it is committed
 * without delay.
 *
 * It is also the one gate for secrets: nothing that a turn writes, in whatever field, holds one that is known.
 *
 * What must hold: one commit at a time; after a failed commit nothing more is written, and `onFailure` ends the turn.
 */
import type { Clock } from '../platform/clock.ts'
import { withoutTexts } from '../core/model-call.ts'
import type { SessionEvent, SessionEventBody } from '../core/session-event.ts'
import { merge, recordCalls, type TurnWrite } from '../core/turn-write.ts'
import { addUsage, type Usage } from '../core/usage.ts'
import { redactWrite } from '../secrets/turn-texts.ts'
import type { Redactor } from '../secrets/redaction.ts'
import type { Committed } from '../store/turn/turn-commit.ts'

/** Whose turn it is, and where its writes and their events go. */
export interface JournalOptions {
  readonly sessionId: string
  readonly turnId: string
  /** Who its user is now: whom the audit names. */
  readonly userName: () => string
  readonly tokenName: string
  /** Whether the user was a participant when the turn began. */
  readonly participates: boolean
  /** What the turn has cost before. */
  readonly usage: Usage
  /** How often a process had died of the turn, as far as is known. */
  readonly deaths: number
  readonly clock: Clock
  /** What must not be written, as of now. */
  readonly redactor: () => Redactor
  readonly commit: (write: TurnWrite) => Promise<Committed>
  /** Called with the events after each commit. */
  readonly onCommitted: (events: readonly SessionEvent[]) => void
  /** Called once, when a commit returns that a cancel was requested. */
  readonly onCancelRequested: () => void
  /** Called once, with what made a commit fail (a lost lease, a lost database). */
  readonly onFailure: (error: unknown) => void
}

/**
 * Group-commit delay of a write without a waiter; as long as pieces of text are batched (open-output.ts). A commit
 * costs the database the same with one step as with three, and clients do not notice the delay.
 */
export const LINGER_MS = 50

/** Of one turn in one process. Once a commit has failed, `flushed` rejects, and what is recorded is dropped. */
export class Journal {
  readonly #options: JournalOptions
  #waiting: TurnWrite | null = null
  /** What waits is to be committed without delay. */
  #isUrgent = false
  #endLinger: () => void = () => undefined
  #committing: Promise<void> | null = null
  #failure: { readonly error: unknown } | null = null
  #cancelRequested = false
  #participates: boolean
  #usage: Usage
  #deaths: number
  #hasActivity = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#usage = options.usage
    this.#deaths = options.deaths
    this.#participates = options.participates
  }

  /** Whether the turn's user is a participant, as of the last commit: to know it costs no read of its own. */
  get participates(): boolean {
    return this.#participates
  }

  /** What the turn has cost, with all that was recorded. */
  get usage(): Usage {
    return this.#usage
  }

  /** How often a process has died of the turn, with all that was recorded. */
  get deaths(): number {
    return this.#deaths
  }

  /** Whether thoughts or progress of tools were recorded. */
  get hasActivity(): boolean {
    return this.#hasActivity
  }

  /** Records events (at the present time) together with the changes they tell of. */
  record(events: readonly SessionEventBody[], changes: Omit<TurnWrite, 'events'> = {}): void {
    if (events.some(({ type }) => type === 'Thinking' || type === 'TaskProgress')) this.#hasActivity = true
    const step = events.findLast((event) => event.type === 'PipelineStep')?.step
    this.#add(this.#options.turnId, events, { ...(step === undefined ? {} : { step }), ...changes })
  }

  /** Records events of a turn that this one has taken along. */
  recordFor(turnId: string, events: readonly SessionEventBody[]): void {
    this.#add(turnId, events, {})
  }

  #add(turnId: string, events: readonly SessionEventBody[], changes: Omit<TurnWrite, 'events'>): void {
    const at = this.#options.clock.now()
    const whole: TurnWrite = {
      ...changes,
      ...this.#callsOf(changes),
      events: events.map((body) => ({ at, turnId, body })),
    }
    const write = redactWrite(whole, this.#options.redactor())
    if (changes.hostDied === true) this.#deaths += 1
    for (const call of changes.modelCalls ?? []) this.#usage = addUsage(this.#usage, { calls: 1, ...call })
    this.#waiting = this.#waiting === null ? write : merge(this.#waiting, write)
    if (this.#failure === null) this.#committing ??= this.#commitAll()
  }

  /** Entries as the steps write them, together with those of the model calls, and what was said in these, once. */
  #callsOf({
    modelCalls = [],
    audit = [],
  }: Omit<TurnWrite, 'events'>): Pick<TurnWrite, 'audit' | 'callTexts' | 'modelCalls'> {
    if (modelCalls.length === 0) return { audit }
    const { sessionId, turnId, userName, tokenName } = this.#options
    const calls = recordCalls(modelCalls, { sessionId, turnId, actor: userName(), tokenName })
    return { modelCalls: modelCalls.map(withoutTexts), callTexts: calls.texts, audit: [...calls.entries, ...audit] }
  }

  /** What was recorded is committed without waiting for more. */
  hurry(): void {
    if (this.#waiting === null) return
    this.#isUrgent = true
    this.#endLinger()
  }

  /** Resolves when all that was recorded is committed; rejects with what made a commit fail. */
  async flushed(): Promise<void> {
    this.hurry()
    while (this.#committing !== null) await this.#committing
    if (this.#failure !== null) throw this.#failure.error
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting !== null && this.#failure === null) {
      if (!this.#isUrgent) await this.#linger()
      const write = this.#waiting
      this.#waiting = null
      this.#isUrgent = false
      try {
        this.#settle(await this.#options.commit(write))
      } catch (error) {
        this.#failure = { error }
        this.#options.onFailure(error)
      }
    }
    this.#committing = null
  }

  #linger(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(LINGER_MS, resolve)
      this.#endLinger = () => {
        cancel()
        resolve()
      }
    })
  }

  #settle(committed: Committed): void {
    this.#participates = committed.participates
    this.#options.onCommitted(committed.events)
    if (!committed.cancelRequested || this.#cancelRequested) return
    this.#cancelRequested = true
    this.#options.onCancelRequested()
  }
}
