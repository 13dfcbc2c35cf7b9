/**
 * A server reduced to its command runner, in a process of its own, so that tests can start it as another user, with
 * secrets in its environment and its open files, and can kill it. Reads one job from stdin, writes reports as JSON
 * lines to stdout.
 */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '../../src/core/identity.ts'
import type { CommandOutcome, SandboxState } from '../../src/execution/command.ts'
import type { CommandLimits } from '../../src/execution/command-limits.ts'
import { killProcess } from '../../src/execution/process/process-tree.ts'
import { createCommandRunner } from '../../src/execution/run-command.ts'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { machineMs, systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { findProcesses } from './outside-world.ts'
import { FOREVER_MS } from './sandbox-support.ts'

export interface Job {
  readonly home: string
  readonly limits: CommandLimits
  readonly bubblewrapPaths?: readonly string[]
  readonly role: Role
  readonly timeoutMs: number
  /** In its place for the command of that index. */
  readonly timeoutsMs?: readonly number[]
  /** Commands that run at one time; each has a session of its own. */
  readonly concurrency: number
  readonly commands: readonly string[]
  /** Each command, of role USER, finds a sandbox that waits for it. */
  readonly isPrepared?: boolean
  /** Commands are allowed for so long, again and again while the server lives; absent: for ever. */
  readonly allowMs?: number
}

export type Report =
  | { readonly type: 'READY'; readonly sandbox: SandboxState }
  | { readonly type: 'OUTPUT'; readonly index: number; readonly text: string }
  | { readonly type: 'OUTCOME'; readonly index: number; readonly outcome: CommandOutcome }

function report(entry: Report): void {
  process.stdout.write(`${JSON.stringify(entry)}\n`)
}

const job = JSON.parse(await text(process.stdin)) as Job
const logger = createLogger({ level: 'silent', pretty: false })
const service = await createCommandRunner({ ...job, logger, clock: systemClock })
allowCommands()
report({ type: 'READY', sandbox: service.sandbox() })

function allowCommands(): void {
  const { allowMs } = job
  if (allowMs === undefined) return service.allowUntil(FOREVER_MS)
  service.allowUntil(machineMs() + allowMs)
  setTimeout(allowCommands, allowMs / 10).unref()
}

const waiting = job.commands.entries()
await Promise.all(
  Array.from({ length: job.concurrency }, async () => {
    for (const [index, command] of waiting) {
      const outcome = await (job.isPrepared === true ? runPrepared : run)(index, command)
      report({ type: 'OUTCOME', index, outcome })
    }
  }),
)
await service.stop()

function run(index: number, command: string): Promise<CommandOutcome> {
  return service.runner.run({
    sessionId: sessionOf(index),
    taskId: `task_${index}`,
    command,
    role: job.role,
    timeoutMs: job.timeoutsMs?.[index] ?? job.timeoutMs,
    outputs: { entries: [], files: [], isFirstOfTurn: true },
    signal: new AbortController().signal,
    onOutput: (_, printed) => report({ type: 'OUTPUT', index, text: printed }),
  })
}

function sessionOf(index: number): string {
  return `test:${index}`
}

async function runPrepared(index: number, command: string): Promise<CommandOutcome> {
  await prepare(index)
  const outcome = await run(index, command)
  // It would wait for a minute, and leave no place for those of the next commands.
  if (outcome.kind === 'exited') for (const pid of await findPrepared(index)) killProcess(pid)
  return outcome
}

/**
 * A sandbox is prepared behind a command, once: where its process cannot be started at that moment (the commands beside
 * it take what there is), the next one prepares it.
 */
async function prepare(index: number): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await run(index, 'true')
    if ((await findPrepared(index)).length > 0) return
  }
  throw new Error(`no sandbox is prepared for command ${index}`)
}

/** Waits for one, which names the workspace of its session. Empty: there is none for 2 seconds. */
async function findPrepared(index: number): Promise<readonly number[]> {
  const workspace = workspacePath(job.home, sessionOf(index))
  for (const deadlineMs = performance.now() + 2_000; performance.now() < deadlineMs; await sleep(2)) {
    const found = findProcesses(workspace)
    if (found.length > 0) return found
  }
  return []
}
