/**
 * What a command of role USER sees: an empty machine that holds /usr read-only, its workspace at /workspace, a small
 * /tmp, its own processes, no network, no rights and no way to new namespaces. An allow-list: what is not named here is
 * not there. `sandbox-probe.ts` checks at start that the kernel really keeps it.
 */
import { lstatSync, readlinkSync } from 'node:fs'
import type { Account } from '../../config/home/unprivileged-account.ts'
import { cleanEnvironment, NO_RETRIES } from './clean-environment.ts'
import type { CommandLimits } from '../command-limits.ts'
import { AWAIT_ORDER, READY_FD, SECCOMP_FD, SHELL, STATUS_FD, type Launch, type Order } from './launch.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import type { SkillLaunch } from '../skills/skill-program.ts'

/** Not from PATH: what a user can put there must not become the sandbox. */
export const BUBBLEWRAP_PATHS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'] as const

/** Where what runs in the sandbox finds its workspace; the HOME of a task's own command. */
export const SANDBOX_WORKSPACE = '/workspace'
/** User and group of a command as it sees itself; outside, it is the unprivileged account or the server's own user. */
export const SANDBOX_UID = 1000

/** What does not change between commands; made by the probe. */
export interface SandboxSetup {
  readonly bubblewrap: string
  /** Whom root becomes first; null when the server is not root. */
  readonly account: Account | null
  readonly files: SandboxFiles
}

/** What a sandbox is made for, whatever it will run. `workspace` is an absolute path outside of it. */
export interface SandboxPlace {
  readonly workspace: string
  readonly limits: CommandLimits
  /** The skill that will run; null: a task's own command. */
  readonly skill: SkillLaunch | null
  /** It has this machine's network, where commands have none. */
  readonly hasNetwork?: boolean
}

/** One command for a sandbox. `timeoutMs` also bounds the processor time of each process, rounded up to seconds. */
export interface SandboxOrder extends Pick<SandboxPlace, 'limits' | 'skill'> {
  readonly command: string
  /** Null: it runs until it is ended. */
  readonly timeoutMs: number | null
  /** The workspace is over its limit: files may be deleted, not written. */
  readonly mayOnlyShrink: boolean
}

/**
 * Starts nothing, and reads only which system folders the host has. The workspace must be prepared (`workspace.ts`)
 * before the launch is started.
 */
export function planSandboxLaunch(setup: SandboxSetup, place: SandboxPlace): Launch {
  const { limits, skill, hasNetwork = false } = place
  const common = { ...cleanEnvironment(homeOf(skill), true), ...(hasNetwork ? {} : NO_RETRIES) }
  return {
    isolation: 'SANDBOX',
    file: setup.bubblewrap,
    args: [...namespaceArgs(place), ...fileArgs(setup.files, place), ...controlArgs(), ...shellArgs(limits)],
    cwd: '/', // the workspace is closed to the server's user; --chdir goes there inside
    environment: { ...common, ...skill?.environment },
    input: skill?.input ?? null,
    account: setup.account,
    seccompPath: setup.files.seccompFilter,
  }
}

/** What is told to a launch of `planSandboxLaunch` with the same skill. */
export function planSandboxOrder({ command, timeoutMs, limits, mayOnlyShrink, skill }: SandboxOrder): Order {
  const ofFile = `-f ${mayOnlyShrink ? 0 : inKibibytes(limits.fileBytes)}`
  // Processor time of one process: it may use one core for the whole time that it has.
  const ofTime = timeoutMs === null ? '' : ` -t ${Math.ceil(timeoutMs / 1000)}`
  const home = skill?.environment['HOME'] ?? homeOf(skill)
  return { command, workspace: SANDBOX_WORKSPACE, home, limits: `${ofFile}${ofTime}` }
}

/**
 * Programs run what they find in their home. The workspace holds what earlier commands of any participant left, so it
 * must not be the home of a skill.
 */
function homeOf(skill: SkillLaunch | null): string {
  return skill === null ? SANDBOX_WORKSPACE : '/tmp'
}

function namespaceArgs({ hasNetwork = false }: SandboxPlace): readonly string[] {
  const kinds = ['user', 'ipc', 'pid', ...(hasNetwork ? [] : ['net']), 'uts', 'cgroup-try']
  const namespaces = kinds.map((name) => `--unshare-${name}`)
  const identity = ['--uid', String(SANDBOX_UID), '--gid', String(SANDBOX_UID), '--hostname', 'sandbox']
  return [...namespaces, ...identity, '--disable-userns', '--cap-drop', 'ALL', '--new-session', '--die-with-parent']
}

/** Files of /etc that programs need to start, resolve names and check certificates; none holds a secret. */
const READABLE_ETC = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/nsswitch.conf',
  '/etc/ssl/certs',
]

function fileArgs(files: SandboxFiles, { workspace, limits, skill, hasNetwork }: SandboxPlace): readonly string[] {
  const groups: readonly (readonly string[])[] = [
    ['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].map(systemFolderArgs),
    ...[...READABLE_ETC, ...(hasNetwork === true ? ['/etc/resolv.conf'] : [])].map((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...files.etc.map(({ source, target }) => ['--ro-bind', source, target]),
    ['--proc', '/proc'],
    // --dev makes a writable file system of any size, hence a size for what must be writable and the rest read-only.
    ['--dev', '/dev', '--size', String(limits.sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', String(limits.tmpBytes), '--tmpfs', '/tmp'],
    ...(skill?.mounts ?? []).map(({ source, target }) => ['--ro-bind', source, target]),
    ['--bind', workspace, SANDBOX_WORKSPACE, '--remount-ro', '/', '--chdir', SANDBOX_WORKSPACE],
  ]
  return groups.flat()
}

/** Most systems keep these in /usr and link to them. */
function systemFolderArgs(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

function controlArgs(): readonly string[] {
  return ['--seccomp', String(SECCOMP_FD), '--json-status-fd', String(STATUS_FD), '--']
}

/** As `nice` counts: the server and its database come before each of the processes that a command starts. */
const NICENESS = 10

/**
 * Runs inside, before the command; it needs bash, because dash knows no `ulimit -u`. Closes every file that the server
 * has left open to its children, gives way to the server, sets the limits (inside, where processes are counted for this
 * sandbox alone), waits for its order, and becomes the command. Whatever fails on the way, the command does not run,
 * but for `renice`, which a system may not have.
 */
function shellArgs(limits: CommandLimits): readonly string[] {
  const closeFiles = `for fd in /proc/self/fd/*; do fd=\${fd##*/}; case $fd in 0|1|2|${READY_FD}) ;; *) eval "exec $fd>&-" || exit 125 ;; esac; done`
  const { processCount, openFileCount } = limits
  const ofProcess = `ulimit -c 0 -d ${inKibibytes(limits.processDataBytes)} -u ${processCount} -n ${openFileCount}`
  // In a shell of its own, so that the command's knows nothing of it.
  const giveWay = `(renice -n ${NICENESS} -p $$) >/dev/null 2>&1`
  return [...SHELL, '-c', [closeFiles, 'unset fd', giveWay, `${ofProcess} || exit 125`, AWAIT_ORDER].join('; ')]
}

function inKibibytes(bytes: number): number {
  return Math.ceil(bytes / 1024)
}
