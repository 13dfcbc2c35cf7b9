/**
 * The command host's permission to run commands. Its server renews it with every beat that the database has answered;
 * when it runs out, the server hangs, is gone, or has lost the database, and every command ends: another server waits
 * for that moment to go on with the session.
 *
 * What must hold: nothing begins without the permit, also when the host was stopped between its own check and the
 * start.
 */
import { type Clock, machineMs } from '../../platform/clock.ts'

/** Why a command is ended: its `AbortSignal.reason`. */
export const PERMIT_ENDED = 'PERMIT_ENDED'
/** Timers cannot be set for longer than some weeks. */
const MAX_TIMER_MS = 60_000

/** At first there is none: nothing may run before the first `renew`. */
export class CommandPermit {
  readonly #clock: Clock
  /** Commands, and when each has ended. */
  readonly #running = new Map<AbortController, Promise<void>>()
  #untilMs = 0
  #cancelTimer: () => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Until then, in the machine's time. What lies in the past ends everything at once. */
  renew(untilMs: number): void {
    this.#untilMs = untilMs
    this.enforce()
  }

  /** Ends what runs if the permit has run out. Returns whether commands may run. */
  enforce(): boolean {
    this.#cancelTimer()
    const leftMs = this.#untilMs - machineMs()
    if (leftMs <= 0) {
      for (const command of this.#running.keys()) command.abort(PERMIT_ENDED)
      return false
    }
    if (this.#running.size > 0)
      this.#cancelTimer = this.#clock.after(Math.min(leftMs, MAX_TIMER_MS), () => this.enforce())
    return true
  }

  /** `command` is aborted when the permit runs out, until the returned function is called: it has ended. */
  watch(command: AbortController): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running.set(command, promise)
    this.enforce()
    return () => {
      this.#running.delete(command)
      resolve()
    }
  }

  /** Resolves when all commands have ended that run now. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values())
  }
}
