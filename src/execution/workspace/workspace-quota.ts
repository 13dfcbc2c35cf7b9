/**
 * Which workspaces are over their limit. Measuring means walking a tree, so it is done only after the file system has
 * changed by a noticeable part of the limit (or long ago), by `du`, which no name, depth or link in the tree can lead
 * astray.
 *
 * What must hold: a workspace found over its limit stays so until a later measurement finds it below. Its next command
 * may delete, but not write (`mayOnlyShrink` of the sandbox), nor make what is empty in numbers (`hasGrown`).
 */
import { execFile } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { AppError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CommandLimits } from '../command-limits.ts'

/** A file system that has changed by less than this part of the limit is not measured again. */
const NOTICEABLE_PART = 64
const MEASURE_AGAIN_MS = 5_000
/** For the log, of what may be a megabyte. */
const MAX_SHOWN_CHARS = 1_000
/** Workspaces remembered; the oldest are measured anew. */
const MAX_REMEMBERED = 10_000

/** At the file system, which says whether it is worth measuring. */
interface FreeSpace {
  readonly freeBytes: number
  readonly freeFileCount: number
  readonly atMs: number
}

type Measurement = Usage & FreeSpace

/** One for each command host; remembers the latest 10 000 workspaces, in memory alone. */
export class WorkspaceQuota {
  readonly #limits: CommandLimits
  readonly #clock: Clock
  readonly #measureAgainMs: number
  readonly #measurements = new Map<string, Measurement>()

  /** `measureAgainMs`: so old a measurement holds no more, whatever the file system says. */
  constructor(limits: CommandLimits, clock: Clock, measureAgainMs = MEASURE_AGAIN_MS) {
    this.#limits = limits
    this.#clock = clock
    this.#measureAgainMs = measureAgainMs
  }

  /**
   * What the last measurement found; false when there was none. `maxBytes`: what it may have, if that is less than the
   * limit.
   */
  isOver(workspace: string, maxBytes = Infinity): boolean {
    const last = this.#measurements.get(workspace)
    return last !== undefined && this.#exceeds(last, maxBytes)
  }

  /** Measures when there is a reason to; resolves to `isOver`. Rejects when the workspace cannot be measured. */
  async check(workspace: string, maxBytes = Infinity): Promise<boolean> {
    const last = this.#measurements.get(workspace)
    const now = this.#freeSpace(workspace)
    if (last !== undefined && !this.#exceeds(last, maxBytes) && !this.#hasChanged(last, now)) return false
    return this.#exceeds(await this.#measure(workspace, now), maxBytes)
  }

  /** As `check`, or in any case when it `isDue`; resolves to the bytes that the workspace has. */
  async measure(workspace: string, isDue: boolean): Promise<number> {
    const last = this.#measurements.get(workspace)
    const now = this.#freeSpace(workspace)
    const isKnown = last !== undefined && !isDue && !this.#exceeds(last, Infinity) && !this.#hasChanged(last, now)
    if (isKnown) return last.bytes
    return (await this.#measure(workspace, now)).bytes
  }

  /** Measures in any case. */
  measureNow(workspace: string): Promise<Usage> {
    return this.#measure(workspace, this.#freeSpace(workspace))
  }

  /** Whether it has grown noticeably since `begin`. Measures when the file system has changed so much. */
  async hasGrown(workspace: string, begin: Usage): Promise<boolean> {
    const last = this.#measurements.get(workspace)
    const now = this.#freeSpace(workspace)
    const isKnown = last !== undefined && !this.#hasChanged(last, now)
    const { bytes, fileCount } = isKnown ? last : await this.#measure(workspace, now)
    return (
      bytes - begin.bytes > this.#limits.workspaceBytes / NOTICEABLE_PART ||
      fileCount - begin.fileCount > this.#limits.workspaceFileCount / NOTICEABLE_PART
    )
  }

  #freeSpace(workspace: string): FreeSpace {
    const { bavail, bsize, ffree } = statfsSync(workspace)
    return { freeBytes: bavail * bsize, freeFileCount: ffree, atMs: this.#clock.monotonicMs() }
  }

  async #measure(workspace: string, now: FreeSpace): Promise<Measurement> {
    const measurement = { ...(await measureUsage(workspace)), ...now }
    // One that began before what is known now may have seen what was deleted meanwhile.
    const known = this.#measurements.get(workspace)
    if (known === undefined || known.atMs <= now.atMs) this.#remember(workspace, measurement)
    return measurement
  }

  #exceeds({ bytes, fileCount }: Usage, maxBytes: number): boolean {
    return bytes > Math.min(this.#limits.workspaceBytes, maxBytes) || fileCount > this.#limits.workspaceFileCount
  }

  #hasChanged(last: FreeSpace, now: FreeSpace): boolean {
    return (
      now.atMs - last.atMs > this.#measureAgainMs ||
      Math.abs(now.freeBytes - last.freeBytes) > this.#limits.workspaceBytes / NOTICEABLE_PART ||
      Math.abs(now.freeFileCount - last.freeFileCount) > this.#limits.workspaceFileCount / NOTICEABLE_PART
    )
  }

  #remember(workspace: string, measurement: Measurement): void {
    this.#measurements.delete(workspace)
    this.#measurements.set(workspace, measurement)
    const oldest = this.#measurements.keys().next()
    if (this.#measurements.size > MAX_REMEMBERED && oldest.done !== true) this.#measurements.delete(oldest.value)
  }
}

/** What a tree takes on its disk. */
export interface Usage {
  readonly bytes: number
  readonly fileCount: number
}

/**
 * What the tree takes on its disk, in allocated bytes, and how many files it has; other file systems are left out.
 * Opens folders that their owner has closed. Rejects with COMMAND_NOT_STARTED when `du` gives no sum.
 */
export async function measureUsage(workspace: string): Promise<Usage> {
  const first = await sumUp(workspace)
  if (!first.some(({ stderr }) => stderr.includes('Permission denied'))) return usageOf(first, workspace)
  // A folder that its owner has closed would hide what is in it. (Root sees it all the same.)
  await runTool('chmod', ['-R', 'u+rwX', '--', workspace])
  return usageOf(await sumUp(workspace), workspace)
}

type Sums = readonly [bytes: Printed, fileCount: Printed]

function sumUp(workspace: string): Promise<Sums> {
  const run = (unit: string): Promise<Printed> =>
    runTool('du', ['--summarize', '--one-file-system', unit, '--', workspace])
  return Promise.all([run('--block-size=1'), run('--inodes')])
}

function usageOf([bytes, fileCount]: Sums, workspace: string): Usage {
  return { bytes: sumIn(bytes, workspace), fileCount: sumIn(fileCount, workspace) }
}

/** Files that vanish meanwhile make `du` complain and count on; only a sum that is missing is a failure. */
function sumIn({ stdout, stderr }: Printed, workspace: string): number {
  const sum = /^\d+/.exec(stdout)?.[0]
  if (sum !== undefined) return Number(sum)
  const why = stderr.trim().slice(0, MAX_SHOWN_CHARS)
  throw new AppError('COMMAND_NOT_STARTED', `du gave no sum for ${workspace}: ${why}`)
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

/** Resolves with what it printed, however it ended; one that prints a megabyte is ended for that. */
function runTool(file: string, args: readonly string[]): Promise<Printed> {
  const options = { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, cwd: '/' }
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ stdout, stderr: stderr === '' && error !== null ? error.message : stderr })
    })
  })
}
