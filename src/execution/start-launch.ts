/**
 * Starts the process of a launch, with the file descriptors that `launch.ts` names. What comes out of it waits to be read:
 * `command-process.ts` takes it from here.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { READY_FD, STATUS_FD, type Launch } from './launch.ts'
import { NamespaceStatus } from './namespace-status.ts'
import type { OutputPipe, OutputPipes } from './output-pipes.ts'

export type Exit = (
  { readonly error: Error } | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
) & {
  /** The command has ended and left nothing behind, but its namespace is there for another one. */
  readonly isNamespaceKept: boolean
}

export interface StartedLaunch {
  readonly launch: Launch
  /** Undefined when there is no process; `exit` tells why. */
  readonly pid: number | undefined
  readonly exit: Promise<Exit>
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** Null for PROCESS_GROUP. */
  readonly namespace: NamespaceStatus | null
  /** Ask when `exit` is known: has anything of the command run, as far as anybody can tell? */
  readonly hasRun: (signal: NodeJS.Signals | null) => boolean
  /** Nothing more will be said about the launch. */
  readonly controlsClosed: Promise<unknown>
}

/** Rejects when there are no pipes or no process to be had at once (no memory); what goes wrong later is in `exit`. */
export async function startLaunch(launch: Launch, pipes: OutputPipes): Promise<StartedLaunch> {
  const [stdout, stderr] = await pipes.takePair()
  try {
    const spawned = spawnLaunch(launch, [stdout.writeFd, stderr.writeFd])
    const { namespace, ready } = spawned
    let isReady = false
    ready?.on('data', () => (isReady = true))
    // Exit codes do not tell: a command may end with any. bwrap writes an exit code on its status pipe only when the command
    // has run; whoever ends bwrap with a signal before that may have ended a running command.
    const hasRun = (signal: NodeJS.Signals | null): boolean =>
      launch.saysReady ? isReady : namespace === null || signal !== null || namespace.hasExitCode
    const controlsClosed = Promise.all([namespace?.closed, untilClosed(ready)])
    return { launch, ...spawned, stdout, stderr, hasRun, controlsClosed }
  } catch (error) {
    stdout.abandon()
    stderr.abandon()
    throw error
  } finally {
    stdout.closeWriteEnd()
    stderr.closeWriteEnd()
  }
}

export interface SpawnedLaunch extends Pick<StartedLaunch, 'pid' | 'exit' | 'namespace'> {
  /** `READY_FD`; null when the launch does not say when it is ready. */
  readonly ready: Socket | null
}

/** `output`: where stdout and stderr go; without, nobody reads them. Throws when there is no process to be had at once. */
export function spawnLaunch(
  launch: Launch,
  output: readonly [stdoutFd: number, stderrFd: number] | null,
): SpawnedLaunch {
  const child = spawnChild(launch, output)
  // A program may end without having read its input: then there is nobody left to write to.
  child.stdin?.on('error', () => {})
  child.stdin?.end(launch.input)
  const [status, ready] = [socketAt(child, STATUS_FD), socketAt(child, READY_FD)]
  // Writing to a process that has just ended is no news: its exit tells.
  ready?.on('error', () => {})
  const namespace = status === null || child.pid === undefined ? null : new NamespaceStatus(child.pid, status)
  return { pid: child.pid, exit: untilExit(child), namespace, ready }
}

/** The process leads a session of its own: a Ctrl-C at the server's terminal is not for it, and it has no terminal. */
function spawnChild(launch: Launch, output: readonly [number, number] | null): ChildProcess {
  const seccompFd = launch.seccompPath === null ? null : openSync(launch.seccompPath, 'r')
  try {
    return spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.environment,
      detached: true,
      ...(launch.account === null ? {} : { uid: launch.account.uid, gid: launch.account.gid }),
      stdio: [
        launch.input === null ? 'ignore' : 'pipe',
        output?.[0] ?? 'ignore',
        output?.[1] ?? 'ignore',
        seccompFd ?? 'ignore',
        launch.isolation === 'PROCESS_GROUP' ? 'ignore' : 'pipe',
        launch.saysReady ? 'pipe' : 'ignore',
      ],
    })
  } finally {
    if (seccompFd !== null) closeSync(seccompFd)
  }
}

function socketAt(child: ChildProcess, fd: number): Socket | null {
  // Without a free file descriptor there is no process and no stdio; the "error" event tells.
  const stdio: ChildProcess['stdio'] | undefined = child.stdio
  const stream = stdio?.[fd]
  return stream instanceof Socket ? stream : null
}

function untilExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, isNamespaceKept: false }))
    child.once('error', (error) => resolve({ error, isNamespaceKept: false }))
  })
}

/** Whoever held the other end has closed it or is gone, and what they said has been heard. */
export function untilClosed(stream: Readable | null): Promise<void> {
  return stream === null ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()))
}
