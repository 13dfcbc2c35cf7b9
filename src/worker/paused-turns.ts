/**
 * Lets turns go on that wait for a budget or a provider, as soon as an operator may have mended what they wait for:
 * when the configuration or `.env` changes, and when a process starts, since that may have happened while none ran; and
 * those that began to wait in the moment of a change, or of their end. At the end of their pause (of a budget: at
 * midnight) they go on by themselves: the queue holds them until then. Every process does so; a turn that is made ready
 * twice runs once.
 */
import { checkBudget } from '../audit/budget.ts'
import type { LiveConfig } from '../config/config.ts'
import { isOutage } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import { retried } from '../platform/waiting/retried.ts'
import type { Database } from '../store/database.ts'
import { readLimits } from '../store/delegations/read-limits.ts'
import { findPausedTurns, makeReady, type PausedTurn } from '../store/turn/paused-turns.ts'

export interface PausedTurnsOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly config: LiveConfig
  /** Calls the listener after each change of the secrets, as of a key, until what it returns is called. */
  readonly onSecretsReloaded: (listener: () => void) => () => void
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
}

/** While the database is away, or another transaction holds one of their sessions. */
const PAUSES = { firstMs: 1000, maxMs: 15_000 }

export class PausedTurns {
  readonly #options: PausedTurnsOptions
  #stopListening: readonly (() => void)[] = []
  readonly #stopping = new AbortController()
  readonly #wakes = new Coalesced(() => this.#retried((turn) => this.#mayGoOn(turn)))
  readonly #ends = new Coalesced(() => this.#retried(isCancelled))
  #changes = 0

  constructor(options: PausedTurnsOptions) {
    this.#options = options
  }

  start(): void {
    const { config, onSecretsReloaded } = this.#options
    const changed = (): void => {
      this.#changes += 1
      this.wake()
    }
    this.#stopListening = [config.onChange(changed), onSecretsReloaded(changed)]
    this.wake()
  }

  /** How often the configuration or the secrets have changed since the start. */
  get changes(): number {
    return this.#changes
  }

  /** One of them may go on now. */
  wake(): void {
    void this.#wakes.run()
  }

  /** One of them was cancelled while it was being paused, and may end now; what the others wait for is as it was. */
  endCancelled(): void {
    void this.#ends.run()
  }

  /** What is under way is tried once to its end. Repeatable; never rejects. */
  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop()
    this.#stopping.abort()
    await Promise.all([this.#wakes.settled(), this.#ends.settled()])
  }

  async #retried(mayGoOn: MayGoOn): Promise<void> {
    const { clock, logger } = this.#options
    const { signal } = this.#stopping
    const onFailure = (error: unknown, attempt: number): void => {
      if (!isOutage(error)) throw error
      if (attempt === 0)
        logger.warn({ error: reasonOf(error) }, 'paused turns could not be made ready after a change; retrying')
    }
    const isWanted = (): boolean => !signal.aborted
    await retried(() => this.#wakeOnce(mayGoOn), { clock, pauses: PAUSES, isWanted, onFailure, signal }).catch(
      (error: unknown) => {
        logger.error({ err: error }, 'check of paused turns failed; each resumes when its pause ends')
      },
    )
  }

  async #wakeOnce(mayGoOn: MayGoOn): Promise<void> {
    const { database, doorbell } = this.#options
    const ready: string[] = []
    for (const turn of await findPausedTurns(database)) if (await mayGoOn(turn)) ready.push(turn.sessionId)
    await makeReady(database, ready)
    if (ready.length > 0) doorbell.ring({ kind: 'work', sessionId: '' })
  }

  /** Turns that would only be paused again are left alone; a cancelled one is made ready to end. */
  async #mayGoOn(turn: PausedTurn): Promise<boolean> {
    return isCancelled(turn) || (await this.#hasBudget(turn))
  }

  async #hasBudget({ sessionId, userName }: PausedTurn): Promise<boolean> {
    const { database, config } = this.#options
    const { share } = await readLimits(database, sessionId)
    return (await checkBudget(database, config.current(), { sessionId, userName, made: [], share })) === null
  }
}

type MayGoOn = (turn: PausedTurn) => Promise<boolean> | boolean

function isCancelled({ cancelRequested }: PausedTurn): boolean {
  return cancelRequested
}
