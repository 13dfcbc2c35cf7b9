/**
 * How an ADMIN's command starts: with the rights of the server, on its files, devices and network, in a clean environment.
 * Where bubblewrap works, it gives the command a PID namespace of its own, so that no process survives the task; such a
 * launch can be prepared before there is a command (`spare-launch.ts`), and the command cannot tell the difference (but for the
 * wording of a syntax error).
 */
import { cleanEnvironment } from './clean-environment.ts'
import { READY_FD, SHELL, STATUS_FD, type Launch } from './launch.ts'
import type { SkillLaunch } from './skill-program.ts'

export interface AdminCommand {
  readonly command: string
  readonly workspace: string
}

/** `bubblewrap`: path of one that has been seen to work, or null. */
export function planAdminLaunch({ command, workspace }: AdminCommand, bubblewrap: string | null): Launch {
  // "--": a command may begin with a dash.
  const shell = [...SHELL, '-c', '--', command]
  const shared = { ...SHARED, cwd: workspace, environment: cleanEnvironment(workspace, false), saysReady: false }
  if (bubblewrap === null) return { ...shared, isolation: 'PROCESS_GROUP', file: SHELL[0], args: shell.slice(1) }
  return { ...shared, isolation: 'PID_NAMESPACE', file: bubblewrap, args: namespaceArgs(shell) }
}

/**
 * A skill for an ADMIN: as a command, with its input and its secrets; with bubblewrap its folder cannot be written. `home` is its
 * own: programs run what they find there, and in the workspace lies what anybody's commands have left.
 */
export function planAdminSkillLaunch(
  skill: SkillLaunch,
  { workspace, home }: { readonly workspace: string; readonly home: string },
  bubblewrap: string | null,
): Launch {
  const launch = planAdminLaunch({ command: skill.command, workspace }, bubblewrap)
  const mounts = skill.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target])
  const args = bubblewrap === null ? launch.args : [...DEVICES, ...mounts, ...launch.args.slice(DEVICES.length)]
  const environment = { ...launch.environment, HOME: home, ...skill.environment }
  return { ...launch, args, environment, input: skill.input }
}

/** A launch that waits for its command (`orderFor`) on `READY_FD`, and ends when that is closed without one. */
export function planSpareLaunch(bubblewrap: string): Launch {
  const args = namespaceArgs([...SHELL, '-c', WAIT_SCRIPT])
  const environment = cleanEnvironment('/', false)
  return { ...SHARED, isolation: 'PID_NAMESPACE', file: bubblewrap, args, cwd: '/', environment, saysReady: true }
}

/** What to write to a spare launch. Neither may hold NUL, which no argument of a program can. */
export function orderFor({ command, workspace }: AdminCommand): string {
  return `${workspace}\0${command}\0`
}

const SHARED = { account: null, seccompPath: null, input: null }
/** Everything that is there. */
const DEVICES = ['--dev-bind', '/', '/']

function namespaceArgs(shell: readonly string[]): readonly string[] {
  const namespace = [...DEVICES, '--unshare-pid', '--proc', '/proc', '--die-with-parent']
  return [...namespace, '--json-status-fd', String(STATUS_FD), '--', ...shell]
}

/**
 * Whatever fails before "ready", the command does not run. The shell that has waited runs the command itself: to start another
 * one takes longer than most commands. `BASH_EXECUTION_STRING` is where `bash -c` keeps its command too; all on one line, since
 * messages count from there. What is left different are words: syntax errors name "eval", not "-c".
 */
const WAIT_SCRIPT = [
  `IFS= read -r -d '' -u ${READY_FD} HOME && IFS= read -r -d '' -u ${READY_FD} BASH_EXECUTION_STRING || exit 125`,
  'cd -P -- "$HOME" || exit 125',
  'unset OLDPWD',
  'export OLDPWD',
  'SECONDS=0',
  `echo ready >&${READY_FD} || exit 125`,
  `exec ${READY_FD}>&-`,
  'eval -- "$BASH_EXECUTION_STRING"',
].join('; ')
