/** Starts the process of a launch, with the file descriptors that `launch.ts` names. Called by `command-process.ts`. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { LIMITS_FD, STATUS_FD, type Launch } from './launch.ts'

export interface SpawnedLaunch {
  readonly child: ChildProcess
  /** What bubblewrap says about the namespace; null for PROCESS_GROUP. */
  readonly status: Readable | null
  /** The sandbox writes here when its limits hold, just before the command; null elsewhere. */
  readonly ready: Readable | null
}

/**
 * Throws when the system refuses the process at once (no memory); a missing program shows as the child's "error" event.
 * The process leads a session of its own: a Ctrl-C at the server's terminal is not for it, and it has no terminal.
 */
export function spawnLaunch(
  launch: Launch,
  output: { readonly stdoutFd: number; readonly stderrFd: number },
): SpawnedLaunch {
  const confined = launch.isolation === 'SANDBOX'
  const seccompFd = launch.seccompPath === null ? null : openSync(launch.seccompPath, 'r')
  try {
    const child = spawn(launch.file, launch.args, {
      cwd: launch.cwd,
      env: launch.environment,
      detached: true,
      ...(launch.account === null ? {} : { uid: launch.account.uid, gid: launch.account.gid }),
      stdio: [
        'ignore',
        output.stdoutFd,
        output.stderrFd,
        seccompFd ?? 'ignore',
        launch.isolation === 'PROCESS_GROUP' ? 'ignore' : 'pipe',
        confined ? 'pipe' : 'ignore',
      ],
    })
    return { child, status: readableAt(child, STATUS_FD), ready: readableAt(child, LIMITS_FD) }
  } finally {
    if (seccompFd !== null) closeSync(seccompFd)
  }
}

function readableAt(child: ChildProcess, fd: number): Readable | null {
  // Without a free file descriptor there is no process and no stdio; the "error" event tells.
  const stdio: ChildProcess['stdio'] | undefined = child.stdio
  const stream = stdio?.[fd]
  return stream instanceof Readable ? stream : null
}
