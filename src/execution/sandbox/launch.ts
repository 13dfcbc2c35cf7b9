/**
 * How to start a command's process, decided before anything starts: `sandbox-profile.ts` makes it for role USER,
 * `admin-launch.ts` for role ADMIN, `command-process.ts` carries it out.
 */
import type { Account } from '../../config/home/unprivileged-account.ts'

/**
 * File descriptors of a launch besides the usual three: 0 is /dev/null or the launch's `input`, 1 and 2 are the output.
 * `READY_FD` is a socket to the host, by which every launch passes a gate (`GATE`).
 */
export const SECCOMP_FD = 3
/** On which bubblewrap reports the namespace's first process, as JSON (bwrap(1), `--json-status-fd`). */
export const STATUS_FD = 4
/** The socket of the gate, in both directions. */
export const READY_FD = 5

/**
 * What runs every command. Without "--norc", bash takes a socket on its standard input for a remote login and runs
 * ~/.bashrc first, which in a workspace any earlier command may have written.
 */
export const SHELL = ['/bin/bash', '--norc'] as const

/**
 * What a launch does last before its command, for bash: it says that all is set up, and waits until the host lets it go
 * on. Whatever fails on the way, the command does not run.
 *
 * Why: bubblewrap asks the kernel to be killed with its parent, and nothing comes of that when the parent is dead by
 * then. So a command begins only after its host has been seen alive behind that moment; one whose host has died finds
 * the socket closed.
 */
export const GATE = `echo ready >&${READY_FD} && read -r -u ${READY_FD} || exit 125; exec ${READY_FD}>&-`

/**
 * What ends with the command.
 * - SANDBOX and PID_NAMESPACE: everything it started, whatever it did; the kernel sees to it, also when the server
 *   dies.
 * - PROCESS_GROUP: what can be found (its process group, descendants, processes with its HOME, which no other launch
 *   has meanwhile). A process that has left the group, lost its parent and changed its environment survives. Used for
 *   ADMIN only, where bubblewrap does not work.
 */
export type Isolation = 'SANDBOX' | 'PID_NAMESPACE' | 'PROCESS_GROUP'

/** A process to start: plain data. `environment` and `input` may hold secrets, so it must not be logged. */
export interface Launch {
  readonly isolation: Isolation
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** What it reads from its standard input; null: nothing. */
  readonly input: string | null
  /** The account that root drops to for it; null: it runs as the server's account. */
  readonly account: Account | null
  /** The filter that `SECCOMP_FD` is opened on, or null for none. */
  readonly seccompPath: string | null
}
