/**
 * Starts the process of a launch, with the file descriptors that `launch.ts` names, as far as its gate;
 * `prepared-launch.ts` takes it from here.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { Clock } from '../../platform/clock.ts'
import { READY_FD, STATUS_FD, type Launch } from './launch.ts'
import { NamespaceStatus } from '../namespace/namespace-status.ts'
import type { OutputPipe, OutputPipes } from '../output/output-pipes.ts'
import type { OwnerMark } from '../process/owner-mark.ts'
import { readProcess } from '../process/process-tree.ts'

/**
 * bubblewrap reports its first process before its second one says that it is ready, so it is read in the same round or
 * the next.
 */
const MAX_ROUNDS_WITHOUT_INIT = 20

/** What a host gives to all that it starts. */
export interface LaunchMeans {
  readonly pipes: OutputPipes
  /** The host's. Everything that it starts is found by it. */
  readonly mark: OwnerMark
  readonly clock: Clock
}

/** How the process ended; `error`: it could not be started. */
export type Exit = { readonly error: Error } | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/**
 * A launch that was told its command, or could not be started. Its output must be read or abandoned, or a full pipe
 * holds up the command.
 */
export interface StartedLaunch {
  readonly launch: Launch
  /** Undefined when there is no process; `exit` tells why. */
  readonly pid: number | undefined
  readonly exit: Promise<Exit>
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** Null for PROCESS_GROUP. */
  readonly namespace: NamespaceStatus | null
  /** Settles when the command begins; not at all when it never does. */
  readonly begun: Promise<void>
  /**
   * Ask when `exit` is known: may anything of the command have run? Exit codes do not tell: a command may end with any.
   */
  readonly hasRun: () => boolean
  /** Nothing more will be said about the launch. */
  readonly controlsClosed: Promise<unknown>
}

/**
 * Resolves to true when the launch ends with its host from now on, to false when it is being ended, or when there is no
 * namespace although bubblewrap was to make one. the launch says that it waits from its second process, while its
 * first one may still be on its way to tie itself to the host; when that sleeps, it has done so.
 */
export async function untilBound({ namespace }: Pick<SpawnedLaunch, 'namespace'>, clock: Clock): Promise<boolean> {
  if (namespace === null) return true
  for (let round = 0; !namespace.isKilled && !namespace.isClosed; round += 1) {
    if (namespace.initPid === null && round === MAX_ROUNDS_WITHOUT_INIT) return false
    const init = namespace.initPid === null ? null : readProcess(namespace.initPid)
    if (init?.state === 'S') return true
    if (namespace.initPid !== null && init === null) return false
    await clock.sleep(1)
  }
  return false
}

/** A process that stands before its gate: its command has not begun. */
export interface SpawnedLaunch extends Pick<StartedLaunch, 'pid' | 'exit' | 'namespace'> {
  /** `READY_FD`; null when there is no process. */
  readonly ready: Socket | null
}

interface SpawnOptions {
  readonly mark: OwnerMark
  /** Where stdout and stderr go. 'PIPES': to its child process's own, and so does its stdin. */
  readonly output: readonly [stdoutFd: number, stderrFd: number] | 'PIPES'
}

/** Throws when there is no process to be had at once. */
export function spawnLaunch(launch: Launch, options: SpawnOptions): SpawnedLaunch {
  const child = spawnChild(launch, options)
  // A program may end without having read its input: the EPIPE that follows is no failure.
  child.stdin?.on('error', () => {})
  child.stdin?.end(launch.input)
  const [status, ready] = [socketAt(child, STATUS_FD), socketAt(child, READY_FD)]
  // Writing to a process that has just ended fails, and its exit says so.
  ready?.on('error', () => {})
  const namespace = status === null || child.pid === undefined ? null : new NamespaceStatus(child.pid, status)
  return { pid: child.pid, exit: untilExit(child), namespace, ready }
}

/**
 * The process leads a session of its own: a Ctrl-C at the server's terminal is not for it, and it has no terminal. The
 * mark is on bubblewrap, out of reach of the command, which does not see it; without bubblewrap it is on whatever the
 * command starts.
 */
export function spawnChild(launch: Launch, { mark, output }: SpawnOptions): ChildProcess {
  const seccompFd = launch.seccompPath === null ? null : openSync(launch.seccompPath, 'r')
  const isWrapped = launch.isolation !== 'PROCESS_GROUP'
  const unmark = isWrapped ? Object.keys(mark).flatMap((name) => ['--unsetenv', name]) : []
  const [stdout, stderr] = output === 'PIPES' ? (['pipe', 'pipe'] as const) : output
  try {
    return spawn(launch.file, [...unmark, ...launch.args], {
      cwd: launch.cwd,
      env: { ...launch.environment, ...mark },
      detached: true,
      ...(launch.account === null ? {} : { uid: launch.account.uid, gid: launch.account.gid }),
      stdio: [
        launch.input === null && output !== 'PIPES' ? 'ignore' : 'pipe',
        stdout,
        stderr,
        seccompFd ?? 'ignore',
        isWrapped ? 'pipe' : 'ignore',
        'pipe',
      ],
    })
  } finally {
    if (seccompFd !== null) closeSync(seccompFd)
  }
}

/** The other end of one of a launch's sockets; null when there is no process. */
export function socketAt(child: ChildProcess, fd: number): Socket | null {
  // Without a free file descriptor there is no process and no stdio; the "error" event tells.
  const stdio: ChildProcess['stdio'] | undefined = child.stdio
  const stream = stdio?.[fd]
  return stream instanceof Socket ? stream : null
}

/** Never rejects: what could not be started has ended, too. */
export function untilExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => resolve({ error }))
  })
}

/** The other end is closed or its process is gone, and all that was written has been read. */
export function untilClosed(stream: Readable | null): Promise<void> {
  return stream === null ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()))
}
