/**
 * How an ADMIN's command starts: with the rights of the server, on its files, devices and network, in a clean
 * environment. Where bubblewrap works, it gives the command a PID namespace to itself, so that no process survives the
 * task. To make one takes longer than most commands, so most commands find one that is there (`kept-namespace.ts`).
 */
import { cleanEnvironment } from './clean-environment.ts'
import { GATE, SHELL, STATUS_FD, type Launch } from './launch.ts'
import type { SkillLaunch } from '../skills/skill-program.ts'

/** A command line of role ADMIN; both paths are absolute, and there. */
export interface AdminCommand {
  readonly command: string
  readonly workspace: string
  /** HOME. Outside of every workspace. */
  readonly home: string
}

/** `bubblewrap`: path of one that has been seen to work, or null. */
export function planAdminLaunch({ command, workspace, home }: AdminCommand, bubblewrap: string | null): Launch {
  const shell = [...SHELL, '-c', START_SCRIPT, 'bash', command]
  const shared = { ...SHARED, cwd: workspace, environment: cleanEnvironment(home, false) }
  if (bubblewrap === null) return { ...shared, isolation: 'PROCESS_GROUP', file: SHELL[0], args: shell.slice(1) }
  return { ...shared, isolation: 'PID_NAMESPACE', file: bubblewrap, args: namespaceArgs(shell) }
}

/**
 * A skill for an ADMIN: as a command, with its input and its secrets; with bubblewrap its folder cannot be written.
 * `home` is empty and its own: it may hold secrets, and programs run what earlier commands left in theirs.
 */
export function planAdminSkillLaunch(
  skill: SkillLaunch,
  { workspace, home }: { readonly workspace: string; readonly home: string },
  bubblewrap: string | null,
): Launch {
  const launch = planAdminLaunch({ command: skill.command, workspace, home }, bubblewrap)
  const mounts = skill.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target])
  const args = bubblewrap === null ? launch.args : [...DEVICES, ...mounts, ...launch.args.slice(DEVICES.length)]
  const environment = { ...launch.environment, ...skill.environment }
  return { ...launch, args, environment, input: skill.input }
}

/** "--": a command may begin with a dash. */
const START_SCRIPT = `${GATE}; exec ${SHELL.join(' ')} -c -- "$1"`

const SHARED = { account: null, seccompPath: null, input: null }
/** Everything that is there. */
const DEVICES = ['--dev-bind', '/', '/']

/** For a PID namespace of its own in which everything is as outside; `shell` is its second process. */
export function namespaceArgs(shell: readonly string[]): readonly string[] {
  const namespace = [...DEVICES, '--unshare-pid', '--proc', '/proc', '--die-with-parent']
  return [...namespace, '--json-status-fd', String(STATUS_FD), '--', ...shell]
}
