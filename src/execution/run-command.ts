/**
 * Running shell commands and skills for tasks: the one entrance to this folder. `app.ts` makes it, the turn calls
 * `runner.run`, the door shows `sandbox()`.
 *
 * What must hold: a command of role USER runs only while the last probe of the sandbox has passed. There is no setting
 * to go without. An unavailable sandbox is probed again when it is asked for, so installing bubblewrap needs no
 * restart.
 */
import { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Role } from '../core/identity.ts'
import type {
  CommandInput,
  CommandOutcome,
  CommandRunner,
  OutputFile,
  RunInput,
  SandboxState,
  SkillInput,
} from './command.ts'
import { CommandHost } from './host/command-host.ts'
import { DEFAULT_COMMAND_LIMITS, type CommandLimits } from './command-limits.ts'
import { DEFAULT_HOST_DEADLINES, type HostDeadlines } from './host/host-deadlines.ts'
import type { CommandRequest } from './host/host-messages.ts'
import type { PlanOutputs } from './output/plan-outputs.ts'
import { BUBBLEWRAP_PATHS, SANDBOX_WORKSPACE } from './sandbox/sandbox-profile.ts'
import type { OutputsToWrite } from './output/workspace-outputs.ts'
import { adminWorkspacePath } from './workspace/workspace.ts'

/** Where commands run, and within which limits. */
export interface CommandRunnerOptions {
  /** FACTOTUM_HOME, absolute. Workspaces are made in its `sessions` folder. */
  readonly home: string
  readonly logger: Logger
  readonly clock: Clock
  /** Called behind each command of role USER, when its workspace has been measured. Must not throw. */
  readonly onMeasured?: (measured: { readonly sessionId: string; readonly bytes: number }) => void
  /** For tests: smaller limits, another bubblewrap. */
  readonly limits?: CommandLimits
  readonly deadlines?: HostDeadlines
  readonly bubblewrapPaths?: readonly string[]
}

/** The command host and what is known of the sandbox; one for each process of the server. */
export interface CommandService {
  readonly runner: CommandRunner
  /** What is known now. When it is unavailable and this was found out a while ago, asking starts a new probe. */
  sandbox(): SandboxState
  /** Why no command, of any role, can be started now; null: commands can be started. */
  hostProblem(): string | null
  /** Probes again, now. Never rejects because of the sandbox. */
  probe(): Promise<SandboxState>
  /**
   * Commands may run until then (src/platform/clock.ts), whatever becomes of this process; at first none may.
   * One that is ended by it, or asked for later, rejects with LEASE_LOST.
   */
  allowUntil(untilMs: number): void
  /** Ends all commands, and allows none. Resolves when none runs. */
  endAll(): Promise<void>
  /** Ends every running command with its whole process tree (outcome: cancelled) and starts none any more. */
  stop(): Promise<void>
}

const PROBE_AGAIN_MS = 30_000

/** Resolves when the command host is up and the sandbox has been probed (about 0.2 s). */
export async function createCommandRunner(options: CommandRunnerOptions): Promise<CommandService> {
  const service = new SandboxedCommands(options)
  await service.start()
  return {
    runner: {
      prepare: (place) => service.prepare(place),
      run: (input) => service.run(input),
      runSkill: (input) => service.runSkill(input),
      saveOutput: (output) => service.saveOutput(output),
    },
    sandbox: () => service.sandbox(),
    hostProblem: () => service.hostProblem(),
    probe: () => service.probe(),
    allowUntil: (untilMs) => service.allowUntil(untilMs),
    endAll: () => service.endAll(),
    stop: () => service.stop(),
  }
}

class SandboxedCommands {
  readonly #options: CommandRunnerOptions
  readonly #host: CommandHost
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #state: SandboxState = { available: false, reason: 'The sandbox has not been checked yet.', fix: 'Wait a moment.' }
  #probedAtMs = 0
  #probing: Promise<SandboxState> | null = null

  constructor(options: CommandRunnerOptions) {
    this.#options = options
    this.#host = new CommandHost({
      settings: {
        home: options.home,
        limits: options.limits ?? DEFAULT_COMMAND_LIMITS,
        bubblewrapPaths: options.bubblewrapPaths ?? BUBBLEWRAP_PATHS,
      },
      deadlines: options.deadlines ?? DEFAULT_HOST_DEADLINES,
      clock: options.clock,
      onProbed: (state) => this.#remember(state),
      onProblem: (message) => options.logger.warn(message),
      onMeasured: (measured) => options.onMeasured?.(measured),
    })
  }

  start(): Promise<void> {
    return this.#host.start()
  }

  run(input: CommandInput): Promise<CommandOutcome> {
    return this.#track(input, { kind: 'COMMAND', command: input.command })
  }

  runSkill(input: SkillInput): Promise<CommandOutcome> {
    const { name, folder, start } = input.skill
    const { environment } = input
    const skill = { name, folder, start, environment, input: this.#describeCall(input) }
    return this.#track(input, { kind: 'SKILL', skill })
  }

  prepare({ sessionId, role }: Pick<RunInput, 'sessionId' | 'role'>): void {
    this.#host.prepare({ sessionId, isConfined: isConfined(role) })
  }

  allowUntil(untilMs: number): void {
    this.#host.allowUntil(untilMs)
  }

  endAll(): Promise<void> {
    return this.#host.endAll()
  }

  saveOutput({ role, ...output }: OutputFile): Promise<void> {
    return this.#host.saveOutput({ ...output, isConfined: isConfined(role) })
  }

  /** What a skill reads from its standard input; the names are part of the format of skills. */
  #describeCall({ args, sessionId, role, sessionSecrets, outputs }: SkillInput): string {
    const workspace = isConfined(role) ? SANDBOX_WORKSPACE : adminWorkspacePath(this.#options.home, sessionId)
    return JSON.stringify({
      args,
      session: sessionId,
      workspace,
      session_secrets: sessionSecrets,
      plan_outputs: outputs.entries,
    })
  }

  async #track(input: RunInput, program: CommandRequest['program']): Promise<CommandOutcome> {
    const work = this.#run(input, program)
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }

  async #run(input: RunInput, program: CommandRequest['program']): Promise<CommandOutcome> {
    if (isConfined(input.role)) {
      const state = await this.#stateForUse()
      if (!state.available) return { kind: 'unavailable', reason: state.reason, fix: state.fix }
    }
    const { sessionId, timeoutMs, onOutput, workspace = null } = input
    const outputs = toWrite(input.outputs)
    const request = { sessionId, program, timeoutMs, isConfined: isConfined(input.role), outputs, workspace }
    const signal = AbortSignal.any([input.signal, this.#stopping.signal])
    const outcome = await this.#host.run(request, onOutput, signal)
    if (outcome.kind === 'not-allowed')
      throw new AppError('LEASE_LOST', 'The command was ended: this server had not reached its database for too long.')
    if (outcome.kind !== 'sandbox-failed') return outcome
    this.#options.logger.warn(
      { sessionId, taskId: input.taskId, reason: outcome.reason },
      'the sandbox failed; nothing ran',
    )
    const state = await this.probe()
    if (!state.available) return { kind: 'unavailable', reason: state.reason, fix: state.fix }
    return { kind: 'unavailable', reason: outcome.reason, fix: 'The sandbox works again: send the message once more.' }
  }

  sandbox(): SandboxState {
    if (this.#isStale())
      void this.probe().catch((error: unknown) =>
        this.#options.logger.warn(error, 'sandbox probe failed; its last known state stays'),
      )
    return this.#state
  }

  hostProblem(): string | null {
    return this.#host.problem()
  }

  probe(): Promise<SandboxState> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = null))
    return this.#probing
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#running)
    await this.#host.stop()
    await Promise.allSettled([this.#probing])
  }

  async #probe(): Promise<SandboxState> {
    this.#remember(await this.#host.probe())
    return this.#state
  }

  /**
   * One that works is not asked again: it tells when it fails. One that does not is, by each command: what was in its
   * way, such as a full disk, may just have gone, and turns begin in that moment which have waited for it.
   */
  async #stateForUse(): Promise<SandboxState> {
    return this.#state.available ? this.#state : this.probe()
  }

  #isStale(): boolean {
    return !this.#state.available && this.#options.clock.monotonicMs() - this.#probedAtMs > PROBE_AGAIN_MS
  }

  #remember(state: SandboxState): void {
    const { clock, logger } = this.#options
    const hasChanged = JSON.stringify(state) !== JSON.stringify(this.#state)
    this.#state = state
    this.#probedAtMs = clock.monotonicMs()
    if (!hasChanged) return
    if (state.available) logger.info('commands of role user run in the sandbox (bubblewrap)')
    else logger.warn({ reason: state.reason, fix: state.fix }, 'no sandbox: commands of role user do not run')
  }
}

function isConfined(role: Role): boolean {
  return role !== 'ADMIN'
}

/** The first program of a turn usually has nothing before it: then there is no file. */
function toWrite({ entries, files, isFirstOfTurn }: PlanOutputs): OutputsToWrite {
  const isNothing = isFirstOfTurn && entries.length === 0
  return { list: isNothing ? null : JSON.stringify(entries, null, 2), files, isFirstOfTurn }
}
