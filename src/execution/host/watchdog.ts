/**
 * Watches a sandboxed command from outside for what no kernel limit covers: the memory of all its processes together,
 * and the disk space that it takes. Short commands are never measured, but where a workspace may only shrink.
 */
import { statfsSync } from 'node:fs'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CommandLimits } from '../command-limits.ts'
import { estimateNamespaceMemory, measureDeletedFiles, measureNamespaceMemory } from '../process/process-tree.ts'
import type { Usage, WorkspaceQuota } from '../workspace/workspace-quota.ts'

/** A command to watch, and the limits that hold for it. */
export interface WatchInput {
  /** First process of the command's namespace. */
  readonly initPid: number
  readonly workspace: string
  /** What the workspace may have, if that is less than the limit of every workspace. */
  readonly maxBytes: number
  /** It cannot write into files (see `mayOnlyShrink`), but make folders, links, empty ones: its growth is watched. */
  readonly mayOnlyShrink: boolean
  readonly limits: CommandLimits
  readonly quota: WorkspaceQuota
  readonly clock: Clock
  /** A limit is broken: end the command. Called at most once. */
  readonly onExceeded: (cause: 'memory' | 'disk') => void
  /** A measurement failed. The command is ended too: what cannot be watched does not run. */
  readonly onProblem: (message: string) => void
}

/** The disk is measured once in so many rounds. */
const DISK_ROUNDS = 3
/** Measuring a command takes at most this part of a processor: many processes are measured more rarely. */
const MAX_LOAD = 0.05

/** Starts watching; resolves after `signal` aborts or a limit was broken. */
export async function watchCommand(input: WatchInput, signal: AbortSignal): Promise<void> {
  const { clock, limits, onExceeded, onProblem } = input
  try {
    const begin = await measureBegin(input)
    await clock.sleep(limits.watchAfterMs, signal)
    for (let round = 0; !signal.aborted; round++) {
      const startMs = clock.monotonicMs()
      if ((await usesTooMuchMemory(input)) && !signal.aborted) return onExceeded('memory')
      const tookMs = clock.monotonicMs() - startMs
      if (round % DISK_ROUNDS === 0 && (await usesTooMuchDisk(input, begin)) && !signal.aborted)
        return onExceeded('disk')
      await clock.sleep(Math.max(limits.watchEveryMs, tookMs / MAX_LOAD), signal)
    }
  } catch (error) {
    if (signal.aborted) return // the command has ended while it was measured
    onProblem(`A running command cannot be watched, so it is ended: ${messageOf(error)}`)
    onExceeded('memory')
  }
}

async function usesTooMuchMemory({ initPid, limits }: WatchInput): Promise<boolean> {
  if (estimateNamespaceMemory(initPid) <= limits.memoryBytes) return false
  return (await measureNamespaceMemory(initPid)) > limits.memoryBytes
}

/** What there was when the command began. */
interface Begin {
  readonly freeBytes: number
  /** Of a workspace that may only shrink; null: of another one. */
  readonly usage: Usage | null
}

async function measureBegin({ workspace, mayOnlyShrink, quota }: WatchInput): Promise<Begin> {
  return { freeBytes: freeBytes(workspace), usage: mayOnlyShrink ? await quota.measureNow(workspace) : null }
}

async function usesTooMuchDisk(input: WatchInput, begin: Begin): Promise<boolean> {
  if (begin.usage !== null) return input.quota.hasGrown(input.workspace, begin.usage)
  if (await input.quota.check(input.workspace, input.maxBytes)) return true
  const vanishedBytes = begin.freeBytes - freeBytes(input.workspace)
  if (vanishedBytes <= input.limits.workspaceBytes) return false
  // More has gone than the workspace shows. Files that were deleted but are still open? Or some other program's.
  return vanishedBytes > input.limits.vanishedBytes || measureDeletedFiles(input.initPid) > input.limits.workspaceBytes
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
