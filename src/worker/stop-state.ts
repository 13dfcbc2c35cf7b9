/**
 * How far the run of a session is to stop. What must hold: it only grows, so a milder request that comes later (a drain
 * after the lease was lost) does not let anything begin or be released again.
 */
export const STOP_LEVELS = [
  'NONE',
  /** The running turn may end; no other begins. */
  'DRAIN',
  /** The running turn stops as it is, to be continued by another process. */
  'HAND_OVER',
  /** The lease is lost: nothing is written any more, the release included. */
  'LOST',
] as const
export type StopLevel = (typeof STOP_LEVELS)[number]

export class StopState {
  #level: StopLevel = 'NONE'

  get level(): StopLevel {
    return this.#level
  }

  /** Stops at least this far. Repeatable; nothing happens when it stops further already. */
  raise(level: StopLevel): void {
    if (!this.reaches(level)) this.#level = level
  }

  reaches(level: StopLevel): boolean {
    return STOP_LEVELS.indexOf(this.#level) >= STOP_LEVELS.indexOf(level)
  }
}
