/** What is said of a text while it comes, as events; made for one task by run-program.ts and write-message.ts. */
import type { OutputStream } from '../../core/session-event.ts'
import type { CommandOutput } from '../../execution/command.ts'

/** How a text ended. */
export interface OutputEnd {
  /** It broke off, in the middle of whatever it was. */
  readonly brokeOff?: boolean
  /** What would have come of a stream, had it not been cut off at the limit: that one did not break off there. */
  readonly beyond?: CommandOutput['beyond']
}

/** Neither of its methods throws or waits. */
export interface LiveOutput {
  /** The next piece, as it came. */
  add(stream: OutputStream, text: string): void
  /** Says what waits; nothing comes after. */
  end(how?: OutputEnd): void
  /** Drops what waits. Returns whether anything had been said. */
  discard(): boolean
}

/** Says a piece: records its event. */
export type EmitOutput = (stream: OutputStream, text: string) => void
