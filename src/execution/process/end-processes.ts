/**
 * Ends the processes that a lost command host ran, which have no other parent to end them. Where there is no /proc
 * (macOS) nothing is found.
 *
 * What must hold: a process is known by its number and its start, so that none is killed that got the number of one
 * that is gone.
 */
import type { Clock } from '../../platform/clock.ts'
import { isRunning, killProcess, readProcess, type ProcessEntry } from './process-tree.ts'

/** A killed process is gone in milliseconds; one that waits for a slow disk cannot be hurried. */
const DISAPPEAR_MS = 5_000
const ROUND_MS = 5

/**
 * Kills what `find` finds, until it finds nothing that runs and all that it has found is gone, twice in a row: a
 * process may start another while it is searched for, and one that is about to begin its program shows nothing for an
 * instant. Resolves to whether all is gone; false after some seconds.
 */
export async function endProcesses(find: () => readonly ProcessEntry[], clock: Clock): Promise<boolean> {
  const found = new Map<string, ProcessEntry>()
  const deadlineMs = clock.monotonicMs() + DISAPPEAR_MS
  let wasGone = false
  for (;;) {
    for (const entry of find()) found.set(`${entry.pid}-${entry.startTicks}`, entry)
    const left = [...found.values()].filter(isSameStillRunning)
    const isGone = left.length === 0
    if (isGone && wasGone) return true
    wasGone = isGone
    if (clock.monotonicMs() > deadlineMs) return false
    for (const { pid } of left) killProcess(pid)
    await clock.sleep(ROUND_MS)
  }
}

/** Not whether some process has the number now. */
export function isSameStillRunning({ pid, startTicks }: ProcessEntry): boolean {
  return isRunning(pid) && readProcess(pid)?.startTicks === startTicks
}
