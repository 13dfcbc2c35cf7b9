/**
 * How long the server waits for its command host. Whatever is not answered by then ends with the host: it is killed
 * with all that it runs, and replaced. Tests pass smaller numbers; nothing else changes them.
 */
export interface HostDeadlines {
  /** How often the host is asked whether it is there. */
  readonly pingEveryMs: number
  /** Questions in a row without an answer after which /ready shows it, and after which the host is killed. */
  readonly silentPings: number
  readonly maxMissedPings: number
  /** Its start, until it has found out what works here. */
  readonly probeMs: number
  readonly saveMs: number
  /** For a command, beyond its own limit: before it a workspace is made ready, after it files are published. */
  readonly beyondTimeoutMs: number
  /** For the end of a command that was cancelled. */
  readonly cancelMs: number
  /** For the end of the host itself, when no command runs any more. */
  readonly stopMs: number
}

/** The deadlines of every running server. */
export const DEFAULT_HOST_DEADLINES: HostDeadlines = {
  pingEveryMs: 1_000,
  silentPings: 2,
  maxMissedPings: 5,
  probeMs: 40_000,
  saveMs: 30_000,
  beyondTimeoutMs: 60_000,
  cancelMs: 15_000,
  stopMs: 5_000,
}
