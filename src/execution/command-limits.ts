/**
 * What a command may use. The output limits hold for every role; the rest bounds commands of role USER inside the
 * sandbox (an ADMIN is unconfined). Tests pass smaller numbers; nothing else changes them.
 */
const KIB = 1024
const MIB = 1024 * KIB

/** Bytes and counts are the most that is allowed; times are in milliseconds. */
export interface CommandLimits {
  /**
   * Output kept of a command, stdout and stderr together, in bytes of UTF-8; a part more for stderr alone. The
   * rest is dropped and marked truncated.
   */
  readonly outputBytes: number
  /** Output after which the command is ended: it would only burn CPU from here. */
  readonly outputFloodBytes: number
  /** Memory of all processes of a command together, watched from outside. */
  readonly memoryBytes: number
  /** Private memory of one process (RLIMIT_DATA). Node 24 does not start below 768 MiB. */
  readonly processDataBytes: number
  /** Processes and threads at one time, including two that the sandbox itself needs. */
  readonly processCount: number
  readonly openFileCount: number
  /** Size of one file. */
  readonly fileBytes: number
  /** A workspace above one of these may only shrink until it is below again. */
  readonly workspaceBytes: number
  readonly workspaceFileCount: number
  /** A running command is ended when the disk has lost this much meanwhile, to any program: the server needs some. */
  readonly vanishedBytes: number
  /** /tmp and /dev/shm live in memory and end with the command. */
  readonly tmpBytes: number
  readonly sharedMemoryBytes: number
  /** Commands that end sooner are not watched: reading /proc costs more than they can do. */
  readonly watchAfterMs: number
  readonly watchEveryMs: number
}

/** The limits of every running server. */
export const DEFAULT_COMMAND_LIMITS: CommandLimits = {
  outputBytes: MIB,
  outputFloodBytes: 64 * MIB,
  memoryBytes: 512 * MIB,
  processDataBytes: 1024 * MIB,
  processCount: 128,
  openFileCount: 256,
  fileBytes: 100 * MIB,
  workspaceBytes: 1024 * MIB,
  workspaceFileCount: 200_000,
  vanishedBytes: 4096 * MIB,
  tmpBytes: 128 * MIB,
  sharedMemoryBytes: 64 * MIB,
  watchAfterMs: 100,
  watchEveryMs: 100,
}
