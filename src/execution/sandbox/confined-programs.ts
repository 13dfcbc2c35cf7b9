/**
 * Programs that run in the sandbox for as long as the server wants them, and talk with it over their standard input
 * and output (servers of tools). They start from this process, with its mark and nothing of its environment.
 *
 * What must hold: a program begins only after it is tied to this process, so the kernel ends it with the server,
 * however that ends; and its folder is its own.
 */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { AppError, messageOf } from '../../core/errors.ts'
import { closedDirectory } from '../../config/home/unprivileged-account.ts'
import type { Clock } from '../../platform/clock.ts'
import { must } from '../../platform/must.ts'
import type { SandboxState } from '../command.ts'
import { DEFAULT_COMMAND_LIMITS, type CommandLimits } from '../command-limits.ts'
import { watchCommand } from '../host/watchdog.ts'
import { NamespaceStatus } from '../namespace/namespace-status.ts'
import { markOf } from '../process/owner-mark.ts'
import { killProcess } from '../process/process-tree.ts'
import { quote, SANDBOX_NODE } from '../skills/skill-program.ts'
import { prepareWorkspace } from '../workspace/workspace.ts'
import { WorkspaceQuota } from '../workspace/workspace-quota.ts'
import { findDropAccount } from './drop-account.ts'
import { READY_FD, STATUS_FD, writeOrder, type Launch, type Order } from './launch.ts'
import { writeSandboxFiles } from './sandbox-files.ts'
import {
  BUBBLEWRAP_PATHS,
  planSandboxLaunch,
  planSandboxOrder,
  SANDBOX_WORKSPACE,
  type SandboxSetup,
} from './sandbox-profile.ts'
import { socketAt, spawnChild, untilBound, untilExit, type Exit } from './start-launch.ts'

/** What to run. */
export interface ProgramInput {
  /** Its folder, absolute; made when it is not there. It is the program's working directory and HOME. */
  readonly folder: string
  /** "node" is the Node of this server. */
  readonly command: string
  readonly args: readonly string[]
  /** All that it gets besides PATH, HOME and LANG. */
  readonly environment: Readonly<Record<string, string>>
  readonly hasNetwork: boolean
}

/** A program that has begun. Its output must be read, or it stands still when its pipe is full. */
export interface ConfinedProgram {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when nothing of it runs any more, to how it ended, as the end of a sentence: "ended with code 1". */
  readonly ended: Promise<string>
  /** Ends it with all that it started. */
  kill(): void
}

/** What all programs of a server have in common. */
export interface ConfinedProgramsOptions {
  /** FACTOTUM_HOME. */
  readonly home: string
  /** As the command host has probed it. */
  readonly sandbox: () => SandboxState
  readonly clock: Clock
  /** For the log. */
  readonly onProblem: (message: string) => void
  readonly limits?: CommandLimits
}

/** A program that does nothing is measured, too: more rarely than a command. */
const WATCH_EVERY_MS = 1000
/** Its folder may hold thousands of files that do not change. */
const MEASURE_AGAIN_MS = 600_000
const KILL_AGAIN_MS = 1000
/** A sandbox takes 20 ms to set up. */
const START_MS = 20_000

/** Starts any number of them; each is owned by who has started it. */
export class ConfinedPrograms {
  readonly #options: ConfinedProgramsOptions
  readonly #limits: CommandLimits
  readonly #quota: WorkspaceQuota

  constructor(options: ConfinedProgramsOptions) {
    this.#options = options
    this.#limits = { ...(options.limits ?? DEFAULT_COMMAND_LIMITS), watchEveryMs: WATCH_EVERY_MS }
    this.#quota = new WorkspaceQuota(this.#limits, options.clock, MEASURE_AGAIN_MS)
  }

  /**
   * Resolves when the program has begun. Rejects with SANDBOX_UNAVAILABLE when nothing may run, and with
   * COMMAND_NOT_STARTED when it could not be started.
   */
  async start(input: ProgramInput): Promise<ConfinedProgram> {
    const setup = this.#setUp()
    await prepareWorkspace(input.folder, setup.account)
    const { launch, order } = this.#plan(setup, input)
    const child = spawnChild(launch, { mark: markOf(this.#options.home, process.pid), output: 'PIPES' })
    const exit = untilExit(child)
    const { stdin, stdout, stderr } = child
    const [status, ready] = [socketAt(child, STATUS_FD), socketAt(child, READY_FD)]
    if (child.pid === undefined || !stdin || !stdout || !stderr || !status || !ready) throw notStarted(await exit)
    const namespace = new NamespaceStatus(child.pid, status)
    const { pid } = child
    const kill = (): void => {
      namespace.kill()
      this.#options.clock.after(KILL_AGAIN_MS, () => (namespace.isClosed ? undefined : killProcess(pid)))
    }
    ready.on('error', () => {})
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {}) // their end is the program's
    const letGo = new Promise<boolean>((resolve) => {
      ready.once('data', () => void untilBound({ namespace }, this.#options.clock).then(resolve))
      void exit.then(() => resolve(false))
    })
    const cancelKill = this.#options.clock.after(START_MS, kill)
    const isBound = await letGo
    cancelKill()
    ready.end(isBound ? writeOrder(order) : '')
    if (!isBound) {
      kill()
      throw notStarted(await exit)
    }
    const ended = exit.then(describeExit)
    this.#watch({ initPid: must(namespace.initPid, 'a bound namespace has its first process'), input, ended, kill })
    return { stdin, stdout, stderr, ended, kill }
  }

  #setUp(): SandboxSetup {
    const { home, sandbox } = this.#options
    const state = sandbox()
    if (!state.available)
      throw new AppError('SANDBOX_UNAVAILABLE', `${state.reason} ${state.fix}`, { retry: 'backoff' })
    const bubblewrap = must(
      BUBBLEWRAP_PATHS.find((path) => existsSync(path)),
      'a sandbox that works has a bubblewrap',
    )
    const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
    return { bubblewrap, account: findDropAccount(), files: writeSandboxFiles(home, architecture) }
  }

  #plan(setup: SandboxSetup, { folder, command, args, environment, hasNetwork }: ProgramInput): Planned {
    const hasNode = command === 'node' && closedDirectory(setup.account, dirname(process.execPath)) === null
    const program = hasNode ? SANDBOX_NODE : command
    const mounts = hasNode ? [{ source: process.execPath, target: SANDBOX_NODE }] : []
    const planned = {
      command: `exec ${[program, ...args].map(quote).join(' ')}`,
      workspace: folder,
      timeoutMs: null,
      limits: this.#limits,
      mayOnlyShrink: false,
      skill: { command: '', input: '', environment: { ...environment, HOME: SANDBOX_WORKSPACE }, mounts },
      hasNetwork,
    }
    return { launch: planSandboxLaunch(setup, planned), order: planSandboxOrder(planned) }
  }

  #watch({ initPid, input, ended, kill }: Watched): void {
    const { clock, onProblem } = this.#options
    const over = new AbortController()
    void ended.then(() => over.abort())
    const onExceeded = (cause: 'memory' | 'disk'): void => {
      onProblem(`A program in ${input.folder} used too much ${cause}, so it was ended.`)
      kill()
    }
    const limits = { limits: this.#limits, quota: this.#quota, maxBytes: this.#limits.workspaceBytes }
    const watched = { initPid, workspace: input.folder, mayOnlyShrink: false, clock, onProblem, onExceeded, ...limits }
    void watchCommand(watched, over.signal)
  }
}

interface Planned {
  readonly launch: Launch
  readonly order: Order
}

interface Watched {
  /** First process of its namespace. */
  readonly initPid: number
  readonly input: ProgramInput
  readonly ended: Promise<unknown>
  readonly kill: () => void
}

function notStarted(exit: Exit): AppError {
  return new AppError('COMMAND_NOT_STARTED', `The program could not be started: it ${describeExit(exit)}.`, {
    retry: 'backoff',
  })
}

function describeExit(exit: Exit): string {
  if ('error' in exit) return `could not be run (${messageOf(exit.error)})`
  return exit.signal === null ? `ended with code ${exit.code}` : `was ended by ${exit.signal}`
}
