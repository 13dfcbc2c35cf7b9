/**
 * How often this process beats and polls, and from when it counts another one as lost: one object, so that what must
 * hold between these times stands in one place. app.ts gives it to the parts, each of which takes those that it uses.
 */
import { assert } from '../platform/must.ts'

export interface Timing {
  /** How often a node says that it lives. */
  readonly beatMs: number
  /** A beat that gets no answer for this long counts as a broken connection. */
  readonly beatTimeoutMs: number
  /** A beat this much later than its interval and timeout allow was held up by this process or its host. */
  readonly stallMs: number
  /** How long commands may run after a beat was sent that the database has answered: what a permit is worth. */
  readonly permitMs: number
  /** Ending all commands takes milliseconds. After so long they were ended without this process. */
  readonly endCommandsMs: number
  /** A node that has not beaten for this long is evicted even if its connection stands. */
  readonly silentMs: number
  /** An evicted node that has not left the list by then, and whose process no other node can see, counts as dead. */
  readonly missingMs: number
  /** For cancelled turns, dead nodes, and work that a lost notification was about. */
  readonly workPollMs: number
  /** For events of followed sessions that a lost notification was about. */
  readonly feedPollMs: number
  readonly schedulePollMs: number
  readonly delegationPollMs: number
  readonly checkpointPollMs: number
  readonly curationPollMs: number
  readonly embeddingPollMs: number
  readonly sketchIndexPollMs: number
  readonly peoplePollMs: number
  /** How much the last use of a token lags behind. */
  readonly tokenUsesMs: number
  readonly pluginPollMs: number
  /** How much the counts of plugins lag behind. */
  readonly pluginCountsMs: number
  /** Of config.toml. */
  readonly configPollMs: number
  /** Of .env. */
  readonly secretsPollMs: number
  /** Whether FACTOTUM_HOME is there and takes writes. */
  readonly homePollMs: number
}

export const TIMING: Timing = {
  beatMs: 2000,
  beatTimeoutMs: 3500,
  stallMs: 2000,
  permitMs: 6000,
  endCommandsMs: 8000,
  silentMs: 8000,
  missingMs: 60_000,
  workPollMs: 500,
  feedPollMs: 2000,
  schedulePollMs: 1000,
  delegationPollMs: 1000,
  checkpointPollMs: 1000,
  curationPollMs: 1000,
  embeddingPollMs: 1000,
  sketchIndexPollMs: 60_000,
  peoplePollMs: 1000,
  tokenUsesMs: 10_000,
  pluginPollMs: 1000,
  pluginCountsMs: 5000,
  configPollMs: 250,
  secretsPollMs: 1000,
  homePollMs: 1000,
}

/** Throws BugError when two of the times do not fit each other. */
export function checkTiming(timing: Timing): void {
  const { beatMs, beatTimeoutMs, stallMs, permitMs, silentMs, missingMs } = timing
  assert(beatMs + beatTimeoutMs < permitMs, 'a beat is given up before its commands would be ended without it')
  assert(permitMs < silentMs, 'the commands of a node end before others count it as lost')
  assert(
    beatMs + beatTimeoutMs + stallMs < silentMs,
    'a process that stood still notices before others count it as lost',
  )
  assert(silentMs < missingMs, 'a node is evicted before it counts as dead')
  const { endCommandsMs, ...often } = timing
  assert(endCommandsMs > permitMs, 'no command is left when ending all of them has taken too long')
  for (const [name, ms] of Object.entries(often)) assert(ms > 0, `${name} is a time`)
}
