/**
 * What the server and its command host say to each other, over the channel that Node gives a forked process. Every
 * request has an id and gets exactly one answer; answers of a command come after all of its output.
 */
import type { OutputStream } from '../../core/session-event.ts'
import type { CommandOutcome, SandboxState, WorkspaceAllowance } from '../command.ts'
import type { CommandLimits } from '../command-limits.ts'
import type { SkillProgram } from '../skills/skill-program.ts'
import type { OutputsToWrite } from '../output/workspace-outputs.ts'

/** How the host is set up; its only command line argument, as JSON. Holds no secret: the command line is public. */
export interface HostSettings {
  readonly home: string
  readonly limits: CommandLimits
  /** Where to search for bubblewrap, in this order. */
  readonly bubblewrapPaths: readonly string[]
}

/** Names a workspace of a session. */
export interface CommandPlace {
  readonly sessionId: string
  /** Role USER: only inside the sandbox. */
  readonly isConfined: boolean
}

/** What the host is to run. It crosses a process boundary, so it holds plain data alone. */
export interface CommandRequest extends CommandPlace {
  /** What runs: a task's own command line, or a skill. */
  readonly program:
    { readonly kind: 'COMMAND'; readonly command: string } | { readonly kind: 'SKILL'; readonly skill: SkillProgram }
  readonly timeoutMs: number
  /** What the workspace tells of earlier tasks. */
  readonly outputs: OutputsToWrite
  /** For what is confined. */
  readonly workspace: WorkspaceAllowance | null
}

/** `path` is relative to the workspace. */
export interface SaveOutputRequest extends CommandPlace {
  readonly path: string
  readonly text: string
}

/**
 * The answer to a command. `sandbox-failed`: nothing ran; the sandbox must be probed before it is used again.
 * `not-allowed`: its server had sent nothing for too long, or had ordered the host to end everything; the command was
 * ended, or never began.
 */
export type HostOutcome =
  | Exclude<CommandOutcome, { readonly kind: 'unavailable' }>
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'sandbox-failed'; readonly reason: string }

/** What the server asks of its host. `id` is unique among the requests that are open. */
export type HostRequest =
  | { readonly type: 'RUN'; readonly id: number; readonly request: CommandRequest }
  | { readonly type: 'PROBE'; readonly id: number }
  /** Writes an output whole to a file of the workspace; `path` is relative to it. */
  | ({ readonly type: 'SAVE_OUTPUT'; readonly id: number } & SaveOutputRequest)
  /** Answered at once, whatever else the host does. */
  | { readonly type: 'PING'; readonly id: number }
  /** Commands may run until then (src/platform/clock.ts). Without it none does. No answer. */
  | { readonly type: 'ALLOW'; readonly untilMs: number }
  /**
   * A command of this session may come soon. Once for each turn is enough: another sandbox is prepared behind each
   * command. No answer, and nothing is lost when nothing comes of it.
   */
  | ({ readonly type: 'PREPARE' } & CommandPlace)
  /** Answered when no command runs any more. */
  | { readonly type: 'AWAIT_IDLE'; readonly id: number }
  /** Ends the command that was asked for under this id; its answer still comes. No answer of its own. */
  | { readonly type: 'CANCEL'; readonly id: number }

/** Whole characters of one stream, in the order in which they were printed. */
export type OutputPiece = readonly [stream: OutputStream, text: string]

/** What the host answers. An answer to a request that is no longer open is ignored. */
export type HostAnswer =
  | { readonly type: 'OUTPUT'; readonly id: number; readonly pieces: readonly OutputPiece[] }
  | { readonly type: 'OUTCOME'; readonly id: number; readonly outcome: HostOutcome }
  | { readonly type: 'PROBED'; readonly id: number; readonly sandbox: SandboxState }
  | { readonly type: 'PONG'; readonly id: number }
  /** The output is saved. */
  | { readonly type: 'DONE'; readonly id: number }
  /** A failure of our own: the request could not be carried out. `ofDisk`: because of where workspaces lie. */
  | { readonly type: 'FAILED'; readonly id: number; readonly message: string; readonly ofDisk: boolean }
  /** What the workspace of a session has, behind a command that was confined; belongs to no request. */
  | { readonly type: 'MEASURED'; readonly sessionId: string; readonly bytes: number }
  /** Something for the log; belongs to no request. */
  | { readonly type: 'PROBLEM'; readonly message: string }
