/**
 * How an ADMIN's command starts: with the rights of the server, on its files, devices and network, in a clean
 * environment. Where bubblewrap works, it gives the command a PID namespace to itself, so that no process survives the
 * task.
 */
import { cleanEnvironment } from './clean-environment.ts'
import { AWAIT_ORDER, SHELL, STATUS_FD, type Launch } from './launch.ts'
import type { SkillLaunch } from '../skills/skill-program.ts'

/**
 * For any command of any session: it gets its workspace and its home with its order. `bubblewrap`: path of one that has
 * been seen to work.
 */
export function planAdminLaunch(bubblewrap: string): Launch {
  const namespace = [...DEVICES, '--unshare-pid', '--proc', '/proc', '--die-with-parent']
  const args = [...namespace, '--json-status-fd', String(STATUS_FD), '--', ...WAITING_SHELL]
  return { ...SHARED, isolation: 'PID_NAMESPACE', environment: cleanEnvironment('/', false), file: bubblewrap, args }
}

/** Without bubblewrap. `home`: that of its command, by which what the command leaves is found. */
export function planOpenLaunch(home: string): Launch {
  const [file, ...args] = WAITING_SHELL
  return { ...SHARED, isolation: 'PROCESS_GROUP', environment: cleanEnvironment(home, false), file, args }
}

/**
 * A skill for an ADMIN: as a command, with its input and its secrets; with bubblewrap its folder cannot be written.
 * `home` is empty and its own: it may hold secrets, and programs run what earlier commands left in theirs.
 */
export function planAdminSkillLaunch(skill: SkillLaunch, home: string, bubblewrap: string | null): Launch {
  const launch = bubblewrap === null ? planOpenLaunch(home) : planAdminLaunch(bubblewrap)
  const mounts = skill.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target])
  const args = bubblewrap === null ? launch.args : [...DEVICES, ...mounts, ...launch.args.slice(DEVICES.length)]
  const environment = { ...launch.environment, HOME: home, ...skill.environment }
  return { ...launch, args, environment, input: skill.input }
}

const WAITING_SHELL = [...SHELL, '-c', AWAIT_ORDER] as const
const SHARED = { account: null, seccompPath: null, input: null, cwd: '/' }
/** Everything that is there. */
const DEVICES = ['--dev-bind', '/', '/']
