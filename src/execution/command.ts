/** What it means to run a shell command for a task: the input, the outcomes, and the port that the turn calls. */
import type { Role } from '../core/identity.ts'
import type { OutputStream } from '../core/session-event.ts'
import type { SkillArguments } from '../core/plan/skill.ts'
import type { PlanOutputs } from './output/plan-outputs.ts'
import type { Publication } from './workspace/publication.ts'
import type { InstalledSkill } from './skills/skill-folder.ts'

/**
 * What the quota of who opened the session leaves for its workspace, beside the limits that hold for every workspace.
 */
export interface WorkspaceAllowance {
  readonly maxBytes: number
  /** More is used than the quota allows: files may be deleted, and none written. */
  readonly mayOnlyShrink: boolean
}

/** What a run of anything needs. */
export interface RunInput {
  readonly sessionId: string
  readonly taskId: string
  /** Read from the current configuration just before: ADMIN runs unconfined, USER only inside the sandbox. */
  readonly role: Role
  readonly timeoutMs: number
  /** Aborting ends the whole process tree. */
  readonly signal: AbortSignal
  /** Pieces of output as they appear, whole characters, already cut at the output limit. */
  readonly onOutput: (stream: OutputStream, text: string) => void
  /** What it may read of earlier tasks. */
  readonly outputs: PlanOutputs
  /** Null: nothing but the limits of every workspace. An ADMIN has none. */
  readonly workspace?: WorkspaceAllowance | null
}

/** A task's own command line. The deny list is applied to it whatever the role. */
export interface CommandInput extends RunInput {
  /** The command line, run by bash. */
  readonly command: string
}

/** A call of an installed skill; the caller has checked `args` against the skill's manifest. */
export interface SkillInput extends RunInput {
  readonly skill: InstalledSkill
  readonly args: SkillArguments
  /** Ephemeral secrets, only those that the skill declares. */
  readonly sessionSecrets: Readonly<Record<string, string>>
  /** Deploy secrets by the names of their variables, only those that the skill declares. */
  readonly environment: Readonly<Record<string, string>>
}

/** What was printed and kept, as text that can be stored; secrets are still in it. */
export interface CommandOutput {
  readonly stdout: string
  readonly stderr: string
  /** More than 1 MiB was printed: the rest was dropped. */
  readonly truncated: boolean
  /**
   * When it was truncated, what came right after: only to tell what the end of the kept part belongs to. Empty for the
   * stream of which all is kept.
   */
  readonly beyond?: { readonly stdout: string; readonly stderr: string }
  /**
   * The workspace had more than any workspace may have, so nothing could be written; or came to have it, so the command
   * was ended.
   */
  readonly isWorkspaceFull?: true
  /** Absent: nothing new was in its pub folder. */
  readonly publication?: Publication
}

/** How a run ended; nothing of the program runs any more. With 'refused' and 'unavailable' nothing of it ever ran. */
export type CommandOutcome =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & CommandOutput)
  | ({
      readonly kind: 'killed'
      readonly cause: 'timeout' | 'memory' | 'disk' | 'output' | 'cancelled'
    } & CommandOutput)
  /** The deny list or a rule refused it before it ran; `reason` is for the user and the planner. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There is no working sandbox for this role: nothing ran. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly fix: string }

/** An output that is too long for the list of outputs (`plan-outputs.ts`). */
export interface OutputFile extends Pick<RunInput, 'sessionId' | 'role'> {
  /** Relative to the workspace in which programs of the role run. */
  readonly path: string
  readonly text: string
}

/**
 * Runs programs for tasks. Never rejects for what a program does; rejects only on a failure of our own (no workspace,
 * no process).
 */
export interface CommandRunner {
  /**
   * A command of the session may come soon, so a sandbox is made ready for it, as far as one can be: only time is saved
   * by it. It runs nothing, and what no command takes ends by itself.
   */
  prepare(place: Pick<RunInput, 'sessionId' | 'role'>): void
  run(input: CommandInput): Promise<CommandOutcome>
  runSkill(input: SkillInput): Promise<CommandOutcome>
  /** Writes an output whole to a file of the workspace. No program of the session may be running. */
  saveOutput(output: OutputFile): Promise<void>
}

/** Whether commands of role USER can run. `reason` and `fix` are sentences for the operator. */
export type SandboxState =
  | { readonly available: true; readonly tier: 'bubblewrap' }
  | { readonly available: false; readonly reason: string; readonly fix: string }
