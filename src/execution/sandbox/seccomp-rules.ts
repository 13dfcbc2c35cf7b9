/**
 * Which system calls a sandboxed command may not make, and their numbers on the two architectures (null: it has none).
 * Namespaces, mounts and dropped capabilities already stop most of them; this stops what would reach kernel code that
 * unprivileged programs have no use for, and what would use memory or disk space that no limit sees.
 * Numbers: asm/unistd_64.h (x64), asm-generic/unistd.h (arm64).
 */
export type SandboxArchitecture = 'x64' | 'arm64'

type CallNumbers = readonly [x64: number | null, arm64: number | null]

/** The lower 32 bits of argument `arg`; a rule with several conditions holds when all of them do. */
export type ArgumentCondition =
  | { readonly arg: number; readonly hasAnyBit: number }
  | { readonly arg: number; readonly isNoneOf: readonly number[] }
  | { readonly arg: number; readonly equals: number }

/** A system call that fails with `error` instead of being made. */
export interface DeniedCall {
  readonly numbers: CallNumbers
  readonly error: keyof typeof ERROR_NUMBERS
  /** Denied only when these hold; empty: always. */
  readonly when: readonly ArgumentCondition[]
}

/** Linux's numbers (errno(3)), the same on both architectures. */
export const ERROR_NUMBERS = { EPERM: 1, ENOSYS: 38, EOPNOTSUPP: 95, EAFNOSUPPORT: 97 } as const

const ALWAYS_FORBIDDEN: Readonly<Record<string, CallNumbers>> = {
  // other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // namespaces and mounts
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // the kernel and its subsystems
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  query_module: [178, null],
  get_kernel_syms: [177, null],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  nfsservctl: [180, 42],
  sysfs: [139, null],
  _sysctl: [156, null],
  ustat: [136, null],
  uselib: [134, null],
  // the machine
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  vhangup: [153, 58],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  // memory that belongs to no process, so that no limit sees it
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
}

/** Programs have a way without these and take it when the kernel seems not to know them. */
const SEEMINGLY_ABSENT: Readonly<Record<string, CallNumbers>> = {
  clone3: [435, 435], // its flags lie in memory, which a filter cannot read; `clone` is checked below
  openat2: [437, 437], // so does its mode
  io_uring_setup: [425, 425], // would make calls past the filter
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_setup: [206, 0], // counted for the whole machine
  memfd_create: [319, 279], // files in memory that no process is charged for
  memfd_secret: [447, 447],
}

/** CLONE_NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET */
const NEW_NAMESPACE_FLAGS = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
const SET_ID_BITS = 0o6000
/** O_CREAT, O_TMPFILE: only then is there a mode argument. */
const CREATING_FLAGS = 0o100 | 0o20000000
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (name resolution asks it). Not AF_VSOCK: no network namespace holds it. */
const SOCKET_FAMILIES = [1, 2, 10, 16]
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
/** The default personality, and the question which one is set. */
const PERSONALITIES = [0, 0xffffffff]

const setsId = (arg: number): ArgumentCondition => ({ arg, hasAnyBit: SET_ID_BITS })
const creates = (arg: number): ArgumentCondition => ({ arg, hasAnyBit: CREATING_FLAGS })

function forbid(numbers: CallNumbers, ...when: readonly ArgumentCondition[]): DeniedCall {
  return { numbers, error: 'EPERM', when }
}

/** Reserves blocks behind the end of a file, where no limit of its size holds; posix_fallocate(3) writes instead. */
const FALLOCATE: DeniedCall = { numbers: [285, 47], error: 'EOPNOTSUPP', when: [] }

const FORBIDDEN_WITH_ARGUMENTS: readonly (readonly [name: string, call: DeniedCall])[] = [
  ['clone', forbid([56, 220], { arg: 0, hasAnyBit: NEW_NAMESPACE_FLAGS })],
  ['ioctl', forbid([16, 29], { arg: 1, equals: TIOCSTI })],
  ['ioctl', forbid([16, 29], { arg: 1, equals: TIOCLINUX })],
  ['socket', { numbers: [41, 198], error: 'EAFNOSUPPORT', when: [{ arg: 0, isNoneOf: SOCKET_FAMILIES }] }],
  ['personality', forbid([135, 92], { arg: 0, isNoneOf: PERSONALITIES })],
  // no file of the workspace may carry its owner's rights to another user
  ['chmod', forbid([90, null], setsId(1))],
  ['fchmod', forbid([91, 52], setsId(1))],
  ['fchmodat', forbid([268, 53], setsId(2))],
  ['fchmodat2', forbid([452, 452], setsId(2))],
  ['creat', forbid([85, null], setsId(1))],
  ['open', forbid([2, null], creates(1), setsId(2))],
  ['openat', forbid([257, 56], creates(2), setsId(3))],
  ['mknod', forbid([133, null], setsId(1))],
  ['mknodat', forbid([259, 33], setsId(2))],
]

/** Every rule by the name of its call; a name may stand several times. */
export const DENIED_CALLS: readonly (readonly [name: string, call: DeniedCall])[] = [
  ...Object.entries(ALWAYS_FORBIDDEN).map(([name, numbers]) => [name, forbid(numbers)] as const),
  ...Object.entries(SEEMINGLY_ABSENT).map(([name, numbers]) => [name, { numbers, error: 'ENOSYS', when: [] }] as const),
  ['fallocate', FALLOCATE],
  ...FORBIDDEN_WITH_ARGUMENTS,
]
