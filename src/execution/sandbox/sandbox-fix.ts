/**
 * What to do when the sandbox does not work, for the machine that we are on. Read by people: log, `/ready`, task
 * failures.
 */
import { existsSync, readFileSync } from 'node:fs'

/** What of the machine decides about the advice; null: not known. */
export interface MachineFacts {
  readonly platform: NodeJS.Platform
  /** ID and ID_LIKE of /etc/os-release. */
  readonly distributions: readonly string[]
  readonly isContainer: boolean
  readonly isKubernetes: boolean
  /** Kernel settings as files under /proc/sys hold them. */
  readonly maxUserNamespaces: string | null
  readonly unprivilegedUserNamespaces: string | null
  readonly appArmorRestrictsUserNamespaces: string | null
}

/** Reads them anew at each call; a file that is not there gives null. */
export function readMachineFacts(): MachineFacts {
  const release = readIfThere('/etc/os-release') ?? ''
  // Kubernetes sets it in every container, whose engine may leave neither of the two files.
  const isKubernetes = process.env['KUBERNETES_SERVICE_HOST'] !== undefined
  return {
    platform: process.platform,
    distributions: [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap((match) =>
      (match[1] ?? '').split(' '),
    ),
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv') || isKubernetes,
    isKubernetes,
    maxUserNamespaces: readIfThere('/proc/sys/user/max_user_namespaces'),
    unprivilegedUserNamespaces: readIfThere('/proc/sys/kernel/unprivileged_userns_clone'),
    appArmorRestrictsUserNamespaces: readIfThere('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
  }
}

const INSTALL_COMMANDS: readonly (readonly [distribution: string, command: string])[] = [
  ['debian', 'apt-get install bubblewrap'],
  ['ubuntu', 'apt-get install bubblewrap'],
  ['fedora', 'dnf install bubblewrap'],
  ['rhel', 'dnf install bubblewrap'],
  ['arch', 'pacman -S bubblewrap'],
  ['alpine', 'apk add bubblewrap bash coreutils'],
  ['suse', 'zypper install bubblewrap'],
]

const REPORT =
  'Update bubblewrap and the kernel. If it stays, report it with the output of "uname -a" and "bwrap --version"; ' +
  'commands of role "user" stay off until this check passes.'

const DISK = 'Make space on the disk of FACTOTUM_HOME, and see to it that it is writable. No restart is needed.'

const LIMITS =
  'The limits of the server are below those of a command. Raise its open files and processes: LimitNOFILE and LimitNPROC ' +
  'in the unit of systemd, --ulimit of a container, "ulimit -n" and "ulimit -u" in a shell; then start the server again.'

/** How to get bubblewrap here. */
export function installFix(facts: MachineFacts): string {
  if (facts.platform !== 'linux') {
    return 'Run Factotum on Linux (on macOS and Windows: in a Linux virtual machine or WSL 2) with bubblewrap installed.'
  }
  const command = INSTALL_COMMANDS.find(([name]) => facts.distributions.includes(name))?.[1]
  return `Install bubblewrap 0.8 or newer${command === undefined ? '' : `: ${command}`}. No restart is needed.`
}

/** How to make a sandbox work whose bubblewrap is installed, and whose check failed with this message. */
export function repairFix(message: string, facts: MachineFacts): string {
  if (/unknown option/i.test(message)) return installFix(facts)
  if (/\b(?:ENOSPC|EDQUOT|EROFS)\b/.test(message)) return DISK
  if (/cannot modify limit/.test(message)) return LIMITS
  if (!/namespace|permi|uid map|mount|seccomp|\bproc\b/i.test(message)) return REPORT
  if (facts.isKubernetes && /\bproc\b/i.test(message)) {
    return (
      'The container runtime covers parts of /proc, and the kernel then refuses a new one. Give the pod ' +
      '"hostUsers: false" and its container "procMount: Unmasked" in securityContext, as deploy/kubernetes.yaml has it.'
    )
  }
  if (facts.isContainer) {
    return (
      'The container runtime forbids user namespaces. Start the container with ' +
      '--security-opt seccomp=unconfined --security-opt systempaths=unconfined (or a seccomp profile that allows clone, ' +
      'unshare, mount and pivot_root), not with --privileged.'
    )
  }
  if (facts.maxUserNamespaces === '0') return 'Allow user namespaces: sysctl -w user.max_user_namespaces=15000'
  if (facts.unprivilegedUserNamespaces === '0')
    return 'Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1'
  if (facts.appArmorRestrictsUserNamespaces === '1') {
    return (
      'AppArmor forbids user namespaces. Allow them to bubblewrap: write "abi <abi/4.0>, include <tunables/global> ' +
      'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }" (one statement a line) to /etc/apparmor.d/bwrap and run ' +
      'apparmor_parser -r /etc/apparmor.d/bwrap'
    )
  }
  return 'Run "bwrap --unshare-all --ro-bind / / true" as the same user to see what the kernel refuses.'
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}
