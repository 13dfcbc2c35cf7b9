/**
 * A namespace that an ADMIN's commands run in one after another: what bubblewrap does for one takes several times as
 * long as most commands. In it a keeper starts a shell that waits for a command, runs it as `bash -c` would, and ends
 * with it.
 *
 * What must hold:
 * - A command runs once, and is never reported as not started when it may have run. So for a command that has not begun
 *   when its namespace ends, this is reported only after every process that could begin it is gone.
 * - A command finds nothing of the ones before it. So a namespace is kept only if its keeper is alone in it after a
 *   command, with the same file systems mounted and the same priority; otherwise it ends, and with it whatever was left
 *   there, as it would have for a single command. It also ends with a command that is killed, with the host, and when
 *   anything goes otherwise than expected. What stays: what a command does on purpose to the keeper, or to settings of
 *   the kernel that belong to a namespace.
 *
 * As its first process the keeper cannot be killed from inside. A command can tell its shell from a new one by the
 * numbers and command lines of processes, by one level more in `set -x`, and by how a syntax error or a crash is
 * worded.
 */
import { must } from '../../platform/must.ts'
import { namespaceArgs, type AdminCommand } from '../sandbox/admin-launch.ts'
import { cleanEnvironment } from '../sandbox/clean-environment.ts'
import { READY_FD, SHELL, type Launch } from '../sandbox/launch.ts'
import type { OutputPipe } from '../output/output-pipes.ts'
import type { OwnerMark } from '../process/owner-mark.ts'
import { spawnLaunch, untilClosed, type Exit, type SpawnedLaunch, type StartedLaunch } from '../sandbox/start-launch.ts'

interface RunningCommand {
  readonly exit: PromiseWithResolvers<Exit>
  readonly begun: PromiseWithResolvers<void>
  /** The shell has all it needs; the command follows. */
  isReady: boolean
  /** The command's shell has opened its output, or never will. */
  closeWriteEnds(): void
}

/**
 * Runs one command at a time, until it ends by itself or by `end`; a command given to it after that is said not to have
 * started.
 */
export class KeptNamespace {
  /**
   * Settles when the namespace has ended: no process is left that could begin a command, and its socket was read to
   * the end.
   */
  readonly ended: Promise<void>
  readonly #launch: Launch
  readonly #spawned: SpawnedLaunch
  #running: RunningCommand | null = null
  #end: Exit | null = null
  /**
   * The keeper runs, so bubblewrap and the keeper end with this process. Nothing is ordered before: in the socket it
   * would be found and carried out also when this process had died meanwhile.
   */
  #isBound = false
  /** What the waiting shell is to read, as soon as it may. */
  #order = ''
  #said = ''

  /** Throws when there is no process to be had. */
  constructor(bubblewrap: string, mark: OwnerMark) {
    this.#launch = planKeeper(bubblewrap)
    this.#spawned = spawnLaunch(this.#launch, { mark, output: null })
    const { exit, ready } = this.#spawned
    ready?.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
    this.ended = Promise.all([exit, untilClosed(ready)]).then(([end]) => {
      this.#end = end
      this.#finish(end)
    })
  }

  /** Only while no other command runs. */
  begin(command: AdminCommand, [stdout, stderr]: readonly [OutputPipe, OutputPipe]): StartedLaunch {
    const running: RunningCommand = {
      exit: Promise.withResolvers(),
      begun: Promise.withResolvers(),
      isReady: false,
      closeWriteEnds: () => {
        stdout.closeWriteEnd()
        stderr.closeWriteEnd()
      },
    }
    this.#running = running
    this.#order = orderFor(command, stdout.path, stderr.path)
    if (this.#end !== null) this.#finish(this.#end)
    else if (this.#isBound) this.#sendOrder()
    return {
      launch: this.#launch,
      pid: this.#spawned.pid,
      namespace: this.#spawned.namespace,
      exit: running.exit.promise,
      stdout,
      stderr,
      begun: running.begun.promise,
      hasRun: () => running.isReady,
      controlsClosed: Promise.resolve(),
    }
  }

  /** Only while no command runs. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    this.#spawned.namespace?.kill()
    await this.ended
  }

  #read(text: string): void {
    const lines = (this.#said + text).split('\n')
    this.#said = must(lines.pop(), 'there is always a last piece')
    for (const line of lines) this.#hear(line)
  }

  #hear(line: string): void {
    const running = this.#running
    const { namespace } = this.#spawned
    if (line === 'here') {
      this.#isBound = true
      return this.#sendOrder()
    }
    const code = /^over (\d+)$/.exec(line)?.[1]
    if (code === undefined) {
      if (running === null) return
      running.isReady = true
      running.begun.resolve()
      running.closeWriteEnds()
    } else if (namespace?.isKilled === true || running?.isReady !== true) {
      // It was too late for a command that was killed; or the shell that has ended is not the one that got the order,
      // or never understood it, and the next one might.
      namespace?.kill()
    } else this.#finish({ code: Number(code), signal: null, isNamespaceKept: true })
  }

  #sendOrder(): void {
    if (this.#order !== '') this.#spawned.ready?.write(this.#order)
    this.#order = ''
  }

  #finish(exit: Exit): void {
    const running = this.#running
    if (running === null) return
    this.#running = null
    if (!running.isReady) running.closeWriteEnds()
    running.exit.resolve(exit)
  }
}

function planKeeper(bubblewrap: string): Launch {
  return {
    isolation: 'PID_NAMESPACE',
    file: bubblewrap,
    args: ['--as-pid-1', ...namespaceArgs([...SHELL, '-c', KEEP_SCRIPT, 'keeper', WAIT_SCRIPT])],
    cwd: '/',
    environment: cleanEnvironment('/', false),
    input: null,
    account: null,
    seccompPath: null,
  }
}

/** What the waiting shell reads. None may hold NUL, which no argument of a program can. */
function orderFor({ command, workspace, home }: AdminCommand, stdout: string, stderr: string): string {
  return [stdout, stderr, workspace, home, command].map((part) => `${part}\0`).join('')
}

/**
 * "kill -0 -1" fails when there is no process in the namespace but the one that asks. The kernel goes through all of
 * them under one lock, so none can slip by; and where there is no namespace, it finds others.
 */
const KEEP_SCRIPT = [
  // A signal to all processes of the namespace must not end the keeper. Unlike ignored ones, its shells get them.
  'trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM',
  'unset SHLVL', // a shell counts how deep it is, and the command's is the first
  `look() { IFS= read -r -d '' mounted </proc/self/mountinfo; read -r -a own </proc/self/stat; seen="\${own[18]} $mounted"; }`,
  'look',
  'first=$seen',
  `echo here >&${READY_FD} || exit 125`,
  [
    'while true',
    `do ${SHELL.join(' ')} -c "$1" </dev/null`,
    'status=$?',
    'kill -0 -1 && exit $status',
    'look',
    '[[ $seen == "$first" ]] || exit $status',
    `echo "over $status" >&${READY_FD} || exit $status`,
    'done',
  ].join('; '),
].join('; ')

/**
 * Whatever fails before "ready", the command does not run. The shell that has waited runs the command itself: to start
 * another one takes longer than most commands. `BASH_EXECUTION_STRING` is where `bash -c` keeps its command too; all on
 * one line, since messages count from there.
 */
const WAIT_SCRIPT = [
  `IFS= read -r -d '' -u ${READY_FD} && exec >"$REPLY" || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} && exec 2>"$REPLY" || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} && cd -P -- "$REPLY" || exit 125`,
  `IFS= read -r -d '' -u ${READY_FD} HOME && IFS= read -r -d '' -u ${READY_FD} BASH_EXECUTION_STRING || exit 125`,
  'unset OLDPWD REPLY',
  'export OLDPWD',
  'SECONDS=0',
  `echo ready >&${READY_FD} || exit 125`,
  `exec ${READY_FD}>&-`,
  'eval -- "$BASH_EXECUTION_STRING"',
].join('; ')
