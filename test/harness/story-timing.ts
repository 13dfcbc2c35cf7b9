/**
 * The times of a server that runs within a test: what a notification has missed is polled for ten times as often as by
 * default, and no node counts as lost because the machine is busy. Processes have the default times (cluster.ts).
 */
import { TIMING, type Timing } from '../../src/config/timing.ts'

const LIFETIMES = new Set(['beatTimeoutMs', 'stallMs', 'permitMs', 'endCommandsMs', 'silentMs', 'missingMs'])

function factorOf(name: string): number {
  if (name === 'beatMs') return 1
  return LIFETIMES.has(name) ? 10 : 0.1
}

export const STORY_TIMING: Timing = {
  ...TIMING,
  ...Object.fromEntries(Object.entries(TIMING).map(([name, ms]: [string, number]) => [name, ms * factorOf(name)])),
}
