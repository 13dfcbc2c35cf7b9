/**
 * How to start the process of a command, decided before anything starts, and what it is told then: `sandbox-profile.ts`
 * makes both for role USER, `admin-launch.ts` for role ADMIN; `prepared-launch.ts` and `command-process.ts` carry them
 * out.
 */
import type { Account } from '../../config/home/unprivileged-account.ts'

/**
 * File descriptors of a launch besides the usual three: 0 is /dev/null or the launch's `input`, 1 and 2 are the output.
 * `READY_FD` is a socket to the host, by which every launch passes a gate (`AWAIT_ORDER`).
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

/** A launch says on a line that it waits for its order. */
export const WAITS = 'waits'
/** And then, that its command begins: nothing of it has run before. */
export const BEGINS = 'begins'

/**
 * The one thing that a launch will ever run, and what holds for it alone. A launch knows nothing of it before its host
 * sends it through the gate, so one can be made ready before there is a command. No text in it may hold NUL, which no
 * argument of a program can.
 */
export interface Order {
  /** For bash. */
  readonly command: string
  /** Both as the command sees them. */
  readonly workspace: string
  readonly home: string
  /** Arguments of `ulimit`, beside the limits of the launch; empty: none. */
  readonly limits: string
}

/**
 * What a launch does last, for bash: it says that all is set up, waits at the gate for its order, says that it has it
 * and runs the command as `bash -c` would. To start another shell for that takes longer than most commands. Whatever
 * fails on the way, the command does not run.
 *
 * Why a gate: bubblewrap asks the kernel to be killed with its parent, and nothing comes of that when the parent is
 * dead by then. So the order is sent only by a host that is alive behind that moment; a launch whose host has died
 * finds the socket closed.
 *
 * `BASH_EXECUTION_STRING` is where `bash -c` keeps its command too; all on one line, since messages count from there.
 * The command can tell its shell from one of `bash -c` by how a syntax error is worded. It is read by its length, in
 * bytes: what ends at a delimiter is read byte by byte.
 */
export const AWAIT_ORDER = [
  `echo ${WAITS} >&${READY_FD} || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} && { [[ -z $REPLY ]] || ulimit $REPLY; } || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} && cd -P -- "$REPLY" || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} HOME && IFS= read -r -d '' -u ${READY_FD} || exit 125`,
  `LC_ALL=C IFS= read -r -N "$REPLY" -u ${READY_FD} BASH_EXECUTION_STRING || exit 125`,
  'unset OLDPWD REPLY',
  'export OLDPWD',
  'SECONDS=0',
  `echo ${BEGINS} >&${READY_FD} || exit 125`,
  `exec ${READY_FD}>&-`,
  'eval -- "$BASH_EXECUTION_STRING"',
].join('; ')

/** As the gate reads it. */
export function writeOrder({ command, workspace, home, limits }: Order): string {
  return [limits, workspace, home, Buffer.byteLength(command), command].join('\0')
}

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
