/** Under which right, and for which turn, is written. */

/** A node's right to run a session's turns, from claim to release. */
export interface Lease {
  readonly sessionId: string
  readonly node: number
  readonly epoch: number
}

/** Which turn writes. `seq` is that of its message, so the turn's own events come after it. */
export interface TurnRef {
  readonly id: string
  readonly seq: number
  readonly messageId: string
}
