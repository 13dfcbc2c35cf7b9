/**
 * What the server and its command host say to each other, over the channel that Node gives a forked process. Every request
 * has an id and gets exactly one answer; answers of a command come after all of its output.
 */
import type { OutputStream } from '../core/session-event.ts'
import type { CommandOutcome, SandboxState } from './command.ts'
import type { CommandLimits } from './command-limits.ts'

/** How the host is set up; its only command line argument, as JSON. Holds no secret: the command line is public. */
export interface HostSettings {
  readonly home: string
  readonly limits: CommandLimits
  /** Where to look for bubblewrap, in this order. */
  readonly bubblewrapPaths: readonly string[]
}

export interface CommandRequest {
  readonly sessionId: string
  readonly command: string
  readonly timeoutMs: number
  /** Role USER: only inside the sandbox. */
  readonly isConfined: boolean
}

/** The answer to a command. `sandbox-failed`: nothing ran; the sandbox must be probed before it is used again. */
export type HostOutcome =
  | Exclude<CommandOutcome, { readonly kind: 'unavailable' }>
  | { readonly kind: 'sandbox-failed'; readonly reason: string }

export type HostRequest =
  | { readonly type: 'RUN'; readonly id: number; readonly request: CommandRequest }
  | { readonly type: 'PROBE'; readonly id: number }
  | { readonly type: 'REMOVE_WORKSPACE'; readonly id: number; readonly sessionId: string }
  /** Ends the command that was asked for under this id; its answer still comes. No answer of its own. */
  | { readonly type: 'CANCEL'; readonly id: number }

export type OutputPiece = readonly [stream: OutputStream, text: string]

export type HostAnswer =
  | { readonly type: 'OUTPUT'; readonly id: number; readonly pieces: readonly OutputPiece[] }
  | { readonly type: 'OUTCOME'; readonly id: number; readonly outcome: HostOutcome }
  | { readonly type: 'PROBED'; readonly id: number; readonly sandbox: SandboxState }
  | { readonly type: 'REMOVED'; readonly id: number }
  /** A failure of our own: the request could not be carried out. */
  | { readonly type: 'FAILED'; readonly id: number; readonly message: string }
  /** Something for the log; belongs to no request. */
  | { readonly type: 'PROBLEM'; readonly message: string }
