/**
 * The times of a server that runs within a test: the default ones, but no node counts as lost because the machine is
 * busy. What is polled is what a notification has missed, which stories do not wait for; what is written now and then
 * they do wait for, and it comes ten times as often. Processes have the default times (cluster.ts).
 */
import { TIMING, type Timing } from '../../src/config/timing.ts'

const TIMES_LONGER = 10
const TIMES_SHORTER = 10

export const STORY_TIMING: Timing = {
  ...TIMING,
  beatTimeoutMs: TIMING.beatTimeoutMs * TIMES_LONGER,
  stallMs: TIMING.stallMs * TIMES_LONGER,
  permitMs: TIMING.permitMs * TIMES_LONGER,
  endCommandsMs: TIMING.endCommandsMs * TIMES_LONGER,
  silentMs: TIMING.silentMs * TIMES_LONGER,
  missingMs: TIMING.missingMs * TIMES_LONGER,
  tokenUsesMs: TIMING.tokenUsesMs / TIMES_SHORTER,
  pluginCountsMs: TIMING.pluginCountsMs / TIMES_SHORTER,
  embeddingPollMs: TIMING.embeddingPollMs / TIMES_SHORTER,
}
