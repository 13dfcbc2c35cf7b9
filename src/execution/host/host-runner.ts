/**
 * Runs commands, inside the command host: what a command may do follows from its role alone.
 *   USER  → the deny list, then the sandbox; without a probed sandbox nothing runs
 *   ADMIN → the deny list, then unconfined, in a workspace and with a home that no sandbox can write
 * A skill goes the same ways, without the deny list: an admin has installed it.
 * `command-host-main.ts` makes the one instance and feeds it with the server's requests.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { planAdminLaunch } from '../sandbox/admin-launch.ts'
import type { SandboxState } from '../command.ts'
import { CommandProcess, type KillCause, type ProcessResult } from './command-process.ts'
import {
  adminPurpose,
  confine,
  confinedPurpose,
  planAdminTask,
  planConfinedTask,
  type AdminPlace,
  type CommandTask,
} from './command-task.ts'
import { makeHostFolder } from './host-folder.ts'
import type { CommandPlace, CommandRequest, HostOutcome, HostSettings, SaveOutputRequest } from './host-messages.ts'
import { PreparedLaunch } from '../namespace/prepared-launch.ts'
import { PreparedLaunches, type Purpose } from '../namespace/prepared-launches.ts'
import type { OnOutput } from '../output/output-capture.ts'
import { OutputPipes } from '../output/output-pipes.ts'
import { markOf } from '../process/owner-mark.ts'
import { runAndPublish } from '../workspace/publish-files.ts'
import type { SandboxSetup } from '../sandbox/sandbox-profile.ts'
import { probeSandbox } from '../sandbox/sandbox-probe.ts'
import { explainRefusal } from '../shell/deny-list.ts'
import { explainAbsence } from '../skills/skill-program.ts'
import type { LaunchMeans, StartedLaunch } from '../sandbox/start-launch.ts'
import { watchCommand, type WatchInput } from './watchdog.ts'
import { WorkspaceQuota } from '../workspace/workspace-quota.ts'
import { saveOutput, writeOutputs } from '../output/workspace-outputs.ts'
import {
  adminHomePath,
  adminWorkspacePath,
  prepareWorkspace,
  removeWorkspace,
  workspacePath,
} from '../workspace/workspace.ts'

interface HostRunnerOptions {
  readonly settings: HostSettings
  readonly clock: Clock
  /** For the log. */
  readonly onProblem: (message: string) => void
  /** The workspace of a session has been measured behind a command. */
  readonly onMeasured: (sessionId: string, bytes: number) => void
}

interface RunOptions {
  readonly onOutput: OnOutput
  /** Aborting ends the whole process tree. */
  readonly signal: AbortSignal
  /**
   * Asked when all is prepared, and again in the moment in which the launch gets its command, which may be long
   * after that. After a "no" nothing of the command runs, and `signal` has been aborted.
   */
  readonly mayBegin?: () => boolean
}

type Start = () => Promise<StartedLaunch>
type Kill = (cause: KillCause) => void

interface CarryOutOptions extends RunOptions {
  readonly onNamespace?: (initPid: number, kill: Kill) => void
}

interface WatchedCommand extends Pick<WatchInput, 'initPid' | 'workspace' | 'maxBytes' | 'mayOnlyShrink'> {
  readonly kill: Kill
}

const PROBE_TIMEOUT_MS = 10_000
const CANCELLED_BEFORE_START: ProcessResult = {
  kind: 'killed',
  cause: 'cancelled',
  stdout: '',
  stderr: '',
  truncated: false,
}

/**
 * Runs any number of commands at once, but of one session one at a time, which the caller sees to. Nothing confined
 * runs before `probe`.
 */
export class HostRunner {
  readonly #options: HostRunnerOptions
  /** Its own, for what must be gone with it. */
  readonly #folder: string
  readonly #means: LaunchMeans
  readonly #quota: WorkspaceQuota
  /** From the last probe; null: nothing confined may run. */
  #sandbox: SandboxSetup | null = null
  /** A bubblewrap that works for ADMIN's commands. */
  #adminBubblewrap: string | null = null
  readonly #prepared: PreparedLaunches
  readonly #background = new Set<Promise<void>>()

  constructor(options: HostRunnerOptions) {
    this.#options = options
    this.#quota = new WorkspaceQuota(options.settings.limits, options.clock)
    this.#folder = makeHostFolder(options.settings.home)
    this.#means = {
      pipes: new OutputPipes(this.#folder),
      mark: markOf(options.settings.home, process.pid),
      clock: options.clock,
    }
    this.#prepared = new PreparedLaunches({ ...options, ...this.#means })
  }

  /** Finds out anew what works here. Never rejects. */
  async probe(): Promise<SandboxState> {
    const { settings, clock, onProblem } = this.#options
    const { home, limits, bubblewrapPaths } = settings
    const bubblewrap = bubblewrapPaths.find((path) => existsSync(path)) ?? null
    const [probed, isUsableByAdmin] = await Promise.all([
      probeSandbox({ home, limits, bubblewrap, clock, onProblem, means: this.#means }),
      this.#probeForAdmin(bubblewrap),
    ])
    this.#adminBubblewrap = isUsableByAdmin ? bubblewrap : null
    this.#sandbox = probed.available ? probed.setup : null
    return probed.available ? { available: true, tier: 'bubblewrap' } : probed
  }

  /** Rejects only when there is no workspace or no process to be had. */
  async run(request: CommandRequest, options: RunOptions): Promise<HostOutcome> {
    const { program, isConfined } = request
    const refusal =
      program.kind === 'COMMAND' ? explainRefusal(program.command) : explainAbsence(program.skill, isConfined)
    if (refusal !== null) return { kind: 'refused', reason: refusal }
    const { settings, onProblem } = this.#options
    return runAndPublish({ home: settings.home, workspace: this.#workspaceFor(request), onProblem }, () =>
      request.isConfined ? this.#runConfined(request, options) : this.#runAsAdmin(request, options),
    )
  }

  /** Only where a session's workspace is: a session that runs no command gets none. Never throws. */
  prepare(place: CommandPlace): void {
    try {
      const purpose = place.isConfined ? this.#confinedPurpose(place) : this.#adminPurpose()
      if (purpose !== null) this.#prepared.prepare({ ...purpose, most: 1 })
    } catch (error) {
      this.#options.onProblem(`No sandbox could be prepared for the next command: ${messageOf(error)}`)
    }
  }

  #confinedPurpose(place: CommandPlace): Purpose | null {
    const [sandbox, { limits }] = [this.#sandbox, this.#options.settings]
    return sandbox === null ? null : confinedPurpose({ sandbox, workspace: this.#workspaceFor(place), limits })
  }

  #adminPurpose(): Purpose | null {
    return this.#adminBubblewrap === null ? null : adminPurpose(this.#adminBubblewrap)
  }

  /** Rejects when the disk does not take it. */
  saveOutput({ path, text, ...place }: SaveOutputRequest): Promise<void> {
    return saveOutput(this.#workspaceFor(place), path, text)
  }

  /** Where those commands run: what is confined and what is not share no folder. */
  #workspaceFor({ sessionId, isConfined }: CommandPlace): string {
    const { home } = this.#options.settings
    return isConfined ? workspacePath(home, sessionId) : adminWorkspacePath(home, sessionId)
  }

  /** Releases what outlives a command. Commands must have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#background)
    await this.#prepared.close()
    rmSync(this.#folder, { recursive: true, force: true }) // pipes in use go on working
  }

  async #runConfined(request: CommandRequest, options: RunOptions): Promise<HostOutcome> {
    const sandbox = this.#sandbox
    if (sandbox === null) return { kind: 'sandbox-failed', reason: 'No sandbox has been found to work.' }
    const { limits } = this.#options.settings
    const program = confine(request.program, sandbox)
    if (typeof program === 'string') return { kind: 'refused', reason: program }
    const workspace = this.#workspaceFor(request)
    await prepareWorkspace(workspace, sandbox.account)
    await writeOutputs(workspace, request.outputs)
    const { timeoutMs, workspace: allowance } = request
    const maxBytes = allowance?.maxBytes ?? limits.workspaceBytes
    const isFull = this.#quota.isOver(workspace)
    const mayOnlyShrink = isFull || allowance?.mayOnlyShrink === true || this.#quota.isOver(workspace, maxBytes)
    const order = { ...program, timeoutMs, limits, mayOnlyShrink }
    const task = planConfinedTask({ sandbox, workspace, limits }, order)
    const watch = new AbortController()
    const result = await this.#carryOut(task, {
      ...options,
      onNamespace: (initPid, kill) =>
        this.#own(this.#watch({ initPid, workspace, maxBytes, mayOnlyShrink, kill }, watch.signal)),
    })
    watch.abort()
    if (result.kind !== 'not-started') {
      this.#own(this.#measureWorkspace(workspace, request))
      const hasGrownFull = result.kind === 'killed' && result.cause === 'disk' && maxBytes >= limits.workspaceBytes
      return isFull || hasGrownFull ? { ...result, isWorkspaceFull: true } : result
    }
    this.#sandbox = null
    return { kind: 'sandbox-failed', reason: result.reason }
  }

  async #runAsAdmin(request: CommandRequest, options: RunOptions): Promise<HostOutcome> {
    const workspace = this.#workspaceFor(request)
    await prepareWorkspace(workspace, null)
    await writeOutputs(workspace, request.outputs)
    const { program, sessionId } = request
    if (program.kind === 'COMMAND') {
      const home = adminHomePath(this.#options.settings.home, sessionId)
      await prepareWorkspace(home, null)
      return this.#startAsAdmin(request, { workspace, home }, options)
    }
    const home = mkdtempSync(join(this.#folder, 'home-'))
    try {
      return await this.#startAsAdmin(request, { workspace, home }, options)
    } finally {
      this.#own(this.#removeHome(home))
    }
  }

  /** In a namespace of its own where one is to be had, otherwise without. */
  async #startAsAdmin(request: CommandRequest, place: AdminPlace, options: RunOptions): Promise<HostOutcome> {
    const bubblewrap = this.#adminBubblewrap
    if (bubblewrap !== null) {
      const result = await this.#carryOut(planAdminTask(request, place, bubblewrap), options)
      if (result.kind !== 'not-started') return result
      this.#options.onProblem(`bubblewrap failed, so a command of an admin runs without it: ${result.reason}`)
    }
    const result = await this.#carryOut(planAdminTask(request, place, null), options)
    if (result.kind !== 'not-started') return result
    throw new AppError('COMMAND_NOT_STARTED', `The command could not be started: ${result.reason}`)
  }

  /** In a launch that waits for just this, else in a new one. */
  async #carryOut(task: CommandTask, options: CarryOutOptions): Promise<ProcessResult> {
    const { launch, order, purpose } = task
    let wasPrepared = false
    const start: Start = async () => {
      const prepared = purpose === null ? null : this.#prepared.take(purpose)
      wasPrepared = prepared !== null
      return (prepared ?? (await PreparedLaunch.start(launch, this.#means))).begin(order, options.mayBegin)
    }
    const result = await this.#supervise(start, task, options)
    if (result.kind === 'not-started' && wasPrepared) return this.#carryOut(task, options)
    // Not before the outcome is on its way: starting a process holds this one up.
    if (purpose !== null && result.kind === 'exited')
      this.#options.clock.after(0, () => this.#prepared.prepare(purpose))
    return result
  }

  async #supervise(
    start: Start,
    { timeoutMs }: Pick<CommandRequest, 'timeoutMs'>,
    options: CarryOutOptions,
  ): Promise<ProcessResult> {
    const { clock, onProblem, settings } = this.#options
    const { signal, onOutput, onNamespace, mayBegin } = options
    mayBegin?.()
    if (signal.aborted) return CANCELLED_BEFORE_START
    const started = await start().catch((error: unknown) => messageOf(error))
    if (typeof started === 'string') return { kind: 'not-started', reason: started }
    const running = new CommandProcess({
      started,
      timeoutMs,
      limits: settings.limits,
      clock,
      onOutput,
      onProblem,
      onNamespace: (initPid) => onNamespace?.(initPid, (cause) => running.kill(cause)),
    })
    const cancel = (): void => running.kill('cancelled')
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await running.result
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  #watch(input: WatchedCommand, signal: AbortSignal): Promise<void> {
    const { clock, onProblem, settings } = this.#options
    const { kill, ...rest } = input
    return watchCommand(
      { ...rest, limits: settings.limits, quota: this.#quota, clock, onProblem, onExceeded: kill },
      signal,
    )
  }

  /** What a command has written is known before the next one starts, mostly; at the latest while that one runs. */
  async #measureWorkspace(workspace: string, { sessionId, workspace: allowance }: CommandRequest): Promise<void> {
    try {
      const bytes = await this.#quota.measure(workspace, allowance?.mayOnlyShrink === true)
      this.#options.onMeasured(sessionId, bytes)
    } catch (error) {
      this.#options.onProblem(`The size of a workspace is not known: ${messageOf(error)}`)
    }
  }

  /** Does a command come out of the profile that ADMIN's commands use as it went in? */
  async #probeForAdmin(bubblewrap: string | null): Promise<boolean> {
    if (bubblewrap === null) return false
    const order = { command: 'echo ok', workspace: '/', home: '/', limits: '' }
    const task = { timeoutMs: PROBE_TIMEOUT_MS, launch: planAdminLaunch(bubblewrap), order, purpose: null }
    const result = await this.#carryOut(task, { onOutput: () => {}, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    return result.kind === 'exited' && result.exitCode === 0 && result.stdout === 'ok\n'
  }

  /** A skill's own, when it has ended. */
  async #removeHome(home: string): Promise<void> {
    try {
      await removeWorkspace(home)
    } catch (error) {
      this.#options.onProblem(`The home of a skill could not be removed: ${messageOf(error)}`)
    }
  }

  /** Background work; `close` waits for it. */
  #own(work: Promise<void>): void {
    this.#background.add(work)
    void work.finally(() => this.#background.delete(work))
  }
}
