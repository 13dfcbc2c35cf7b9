/**
 * Programs that run another one, which stands behind their own options and words: `sudo -u me nice rm` runs a `nice`
 * and an `rm`.
 */
import { unreadable, type Call, type CallRule, type Runs } from './call.ts'
import { hasOption, readOptions, valueOf, type OptionRules, type ReadOptions } from './options.ts'
import { wordOf, type ShellWord } from './shell-word.ts'

interface Wrapper extends OptionRules {
  /** Words of its own before the command; NUMBER: one, if it is a number. */
  readonly ownWords?: number | 'NUMBER'
  /** `A=1` may stand before the command. */
  readonly takesAssignments?: boolean
  /** Without a command it starts a shell, which reads its input. */
  readonly startsShell?: boolean
  /** Options with which it runs nothing: `command -v rm`. */
  readonly runsNothing?: readonly string[]
  /** Adds words of its input to the command. */
  readonly addsWords?: boolean
}

const NAMESPACES = 'm::u::i::n::p::U::C::T::'

const WRAPPERS = new Map<string, Wrapper>([
  ['builtin', {}],
  ['busybox', { long: 'list list-full help install' }],
  ['choom', { short: 'n:p:hV', long: 'adjust: pid: help version' }],
  ['chroot', { long: 'groups: userspec: skip-chdir help version', ownWords: 1, startsShell: true }],
  [
    'chrt',
    {
      short: 'abdefimopRrvGhVD:P:T:',
      long: 'batch deadline ext fifo idle other rr reset-on-fork all-tasks max pid verbose sched-runtime: sched-deadline: sched-period: help version',
      ownWords: 'NUMBER',
    },
  ],
  ['command', { short: 'pvV', runsNothing: ['v', 'V'] }],
  ['doas', { short: 'C:Lnsu:', takesAssignments: true, startsShell: true }],
  ['exec', { short: 'cla:' }],
  ['gosu', { ownWords: 1 }],
  ['ionice', { short: 'c:n:p:P:u:thV', long: 'class: classdata: pid: pgid: uid: ignore help version' }],
  ['nice', { short: 'n:', long: 'adjustment: help version', hasNumbers: true }],
  ['nohup', { long: 'help version' }],
  ['pkexec', { short: 'u:', long: 'user: disable-internal-agent keep-cwd help version', startsShell: true }],
  [
    'prlimit',
    {
      short: 'p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::hV',
      long: 'pid: output: noheadings raw verbose core:: data:: nice:: fsize:: sigpending:: memlock:: rss:: nofile:: msgqueue:: rtprio:: stack:: cpu:: nproc:: as:: locks:: rttime:: help version',
    },
  ],
  [
    'setpriv',
    {
      short: 'dhV',
      long: 'dump nnp no-new-privs ambient-caps: inh-caps: bounding-set: ruid: euid: rgid: egid: reuid: regid: clear-groups keep-groups init-groups groups: list-caps securebits: pdeathsig: ptracer: selinux-label: apparmor-profile: landlock-access: landlock-rule: seccomp-filter: reset-env help version',
    },
  ],
  ['setsid', { short: 'cfwhV', long: 'ctty fork wait help version' }],
  ['setuidgid', { ownWords: 1 }],
  ['stdbuf', { short: 'i:o:e:', long: 'input: output: error: help version' }],
  ['su-exec', { ownWords: 1 }],
  [
    'sudo',
    {
      short: 'ABbC:D:EeEg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vva:c:',
      long: 'askpass background bell close-from: chdir: preserve-env:: edit group: set-home help host: login remove-timestamp reset-timestamp list no-update non-interactive preserve-groups prompt: chroot: role: stdin shell type: command-timeout: other-user: user: version validate auth-type: login-class:',
      takesAssignments: true,
      startsShell: true,
      runsNothing: ['l', 'list', 'V', 'version', 'v', 'validate', 'K', 'remove-timestamp', 'help'],
    },
  ],
  ['taskset', { short: 'apchV', long: 'all-tasks pid cpu-list help version', ownWords: 1 }],
  ['time', { short: 'af:o:pqvV', long: 'append format: output: portability quiet verbose help version' }],
  [
    'timeout',
    {
      short: 'k:s:vfp',
      long: 'kill-after: signal: verbose foreground preserve-status help version',
      ownWords: 1,
    },
  ],
  ['toybox', {}],
  [
    'unshare',
    {
      short: `${NAMESPACES}frcS:G:R:w:l:hV`,
      long: 'mount:: uts:: ipc:: net:: pid:: user:: cgroup:: time:: fork map-user: map-group: map-users: map-groups: map-root-user map-current-user map-auto map-subids kill-child:: mount-proc:: mount-binfmt:: propagation: setgroups: keep-caps root: wd: setuid: setgid: monotonic: boottime: load-interp: forward-signals owner: help version',
      startsShell: true,
    },
  ],
  [
    'xargs',
    {
      short: '0rtxpoa:d:E:I:L:n:P:s:e::i::l::',
      long: 'null no-run-if-empty verbose interactive exit open-tty show-limits arg-file: delimiter: replace:: max-lines:: max-args: max-procs: max-chars: eof:: process-slot-var: help version',
      addsWords: true,
    },
  ],
])

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/** Null: the program is no wrapper that is known here. `name` is without its folder. */
export function wrapperRule(name: string): CallRule | null {
  if (name === 'env') return env
  if (name === 'jobs') return jobs
  const wrapper = WRAPPERS.get(name)
  return wrapper === undefined ? null : (call) => unwrap(call, wrapper)
}

function unwrap(call: Call, wrapper: Wrapper): Runs {
  const read = readOptions(call.args, wrapper)
  if (read.isUnclear) return unreadable(call)
  if (wrapper.runsNothing !== undefined && hasOption(read, ...wrapper.runsNothing)) return {}
  const words = skipOwn(read.rest, wrapper)
  if (words === null) return unreadable(call)
  if (words.length === 0 && wrapper.startsShell === true)
    return unreadable(call, 'starts, a shell that reads its input,')
  // Without a command of its own, xargs echoes.
  if (wrapper.addsWords === true && words.length === 0) return {}
  return wrapper.addsWords === true ? { commands: [replaceInput(read, words)], addsWords: true } : { commands: [words] }
}

/** `xargs -I % % x` runs what its input says. */
function replaceInput(read: ReadOptions, words: readonly ShellWord[]): readonly ShellWord[] {
  if (!hasOption(read, 'I', 'i', 'replace')) return words
  const mark = valueOf(read, 'I', 'i', 'replace')?.text ?? ''
  return replaceIn(words, mark === '' ? '{}' : mark)
}

/** Null: only bash will know where the command begins. */
function skipOwn(rest: readonly ShellWord[], { ownWords = 0, takesAssignments }: Wrapper): readonly ShellWord[] | null {
  const count = ownWords === 'NUMBER' ? (/^\d+$/.test(rest[0]?.text ?? '') ? 1 : 0) : ownWords
  if (rest.slice(0, count).some(({ isOne }) => !isOne)) return null
  const words = rest.slice(count)
  return takesAssignments === true ? words.slice(assignmentCount(words)) : words
}

function assignmentCount(words: readonly ShellWord[]): number {
  const end = words.findIndex(({ text }) => !ASSIGNMENT.test(text))
  return end === -1 ? words.length : end
}

/** Words with `mark` in them become others: `find -exec {} x`. */
export function replaceIn(words: readonly ShellWord[], mark: string): readonly ShellWord[] {
  return words.map((word) => (word.text.includes(mark) ? { ...word, isKnown: false, isOne: true } : word))
}

const ENV: OptionRules = {
  short: 'iu:C:S:v0a:P:',
  long: 'ignore-environment unset: chdir: split-string: null debug block-signal:: default-signal:: ignore-signal:: list-signal-handling argv0: help version',
  hasDash: true,
}

/** `env -S "A=1 rm -rf"` reads more of its words from one. */
function env(call: Call): Runs {
  const read = readOptions(call.args, ENV)
  if (read.isUnclear) return unreadable(call)
  const line = valueOf(read, 'S', 'split-string')
  if (line !== null) {
    // Its escapes and variables are its own, and options may stand in it, this one too.
    if (!line.isKnown || /[\\$'"]|(?:^|\s)-/.test(line.text)) return unreadable(call)
    const words = line.text.split(/\s+/).filter((word) => word !== '')
    return env({ ...call, args: [...words.map(wordOf), ...read.rest] })
  }
  const words = read.rest.slice(assignmentCount(read.rest))
  return read.rest.some(({ isOne }, index) => !isOne && index < read.rest.length - words.length)
    ? unreadable(call)
    : { commands: [words] }
}

/** `jobs -x rm y` runs an `rm`. */
function jobs({ args }: Call): Runs {
  return args[0]?.text === '-x' ? { commands: [args.slice(1)] } : {}
}

/**
 * Programs that run one too, with too many kinds of options to list here: any of their words may be where the command
 * begins, or a command line.
 */
const SOMEWHERE: ReadonlySet<string> = new Set(
  `
  aa-exec abduco asdf bundle bunx bwrap capsh catchsegv cgexec chpst chronic cmake concurrently
  conda coresched cpulimit cross-env daemon daemonize dbus-launch dbus-run-session direnv distrobox
  docker dotenv dtach dumb-init eatmydata entr envdir fakechroot fakeroot faketime firejail flatpak
  gdb guix hatch hyperfine i386 ifne ip kubectl lckdo linux32 linux64 lldb logsave ltrace lxc
  machinectl mamba mise nerdctl nix nix-shell nodemon npm npx nq nsenter numactl oc pdm pee perf
  pipenv pipx pnpm podman poetry proot proxychains proxychains4 pyenv rbenv rlwrap run-parts run0
  runcon schroot screen setarch snap softlimit ssh-agent start-stop-daemon strace systemd-run tini
  tmux toolbox torify torsocks tsp uclampset uname26 unbuffer uv uvx valgrind volta watchexec
  x86_64 xvfb-run yarn
`
    .trim()
    .split(/\s+/),
)
const LOADER = /^ld(?:-linux.*|-musl.*)?\.so/

/** Its words are to be read one by one. */
export function runsSomewhere(name: string): boolean {
  return SOMEWHERE.has(name) || LOADER.test(name)
}
