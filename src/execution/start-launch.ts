/**
 * Starts the process of a launch, with the file descriptors that `launch.ts` names. What comes out of it waits to be read:
 * `command-process.ts` takes it from here, at once or, for a launch that was prepared, when there is a command for it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { READY_FD, STATUS_FD, type Launch } from './launch.ts'
import type { OutputPipe, OutputPipes } from './output-pipes.ts'

export type Exit = { readonly error: Error } | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export interface StartedLaunch {
  readonly launch: Launch
  /** Undefined when there is no process; `exit` tells why. */
  readonly pid: number | undefined
  readonly exit: Promise<Exit>
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** What bubblewrap says about the namespace; null for PROCESS_GROUP. */
  readonly status: Readable | null
  /** Null when the launch does not say when it is ready. */
  readonly ready: Socket | null
  /** `status` and `ready` have been read to their end. */
  readonly controlsClosed: Promise<unknown>
}

/** Rejects when there are no pipes or no process to be had at once (no memory); what goes wrong later is in `exit`. */
export async function startLaunch(launch: Launch, pipes: OutputPipes): Promise<StartedLaunch> {
  const [stdout, stderr] = await pipes.takePair()
  try {
    const child = spawnLaunch(launch, stdout.writeFd, stderr.writeFd)
    // A program may end without having read its input: then there is nobody left to write to.
    child.stdin?.on('error', () => {})
    child.stdin?.end(launch.input)
    const [status, ready] = [socketAt(child, STATUS_FD), socketAt(child, READY_FD)]
    // Writing to a process that has just ended is no news: its exit tells.
    ready?.on('error', () => {})
    const controlsClosed = Promise.all([untilClosed(status), untilClosed(ready)])
    return { launch, pid: child.pid, exit: untilExit(child), stdout, stderr, status, ready, controlsClosed }
  } catch (error) {
    stdout.abandon()
    stderr.abandon()
    throw error
  } finally {
    stdout.closeWriteEnd()
    stderr.closeWriteEnd()
  }
}

/** The process leads a session of its own: a Ctrl-C at the server's terminal is not for it, and it has no terminal. */
function spawnLaunch(launch: Launch, stdoutFd: number, stderrFd: number): ChildProcess {
  const seccompFd = launch.seccompPath === null ? null : openSync(launch.seccompPath, 'r')
  try {
    return spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.environment,
      detached: true,
      ...(launch.account === null ? {} : { uid: launch.account.uid, gid: launch.account.gid }),
      stdio: [
        launch.input === null ? 'ignore' : 'pipe',
        stdoutFd,
        stderrFd,
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
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => resolve({ error }))
  })
}

function untilClosed(stream: Readable | null): Promise<void> {
  return stream === null ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()))
}
