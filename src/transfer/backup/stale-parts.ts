/** What backups that were killed have left: half of a file under a name of its own, which nothing else removes. */
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '../../platform/clock.ts'
import { PART } from '../whole-file.ts'

/** One that runs writes to its file far more often, and of a nightly one the next run comes later. */
export const STALE_HOURS = 12

/** Paths, in the folder of the file that is to be written. */
export interface Parts {
  readonly removed: readonly string[]
  /** Written to lately: by a backup that runs, or was killed since. */
  readonly left: readonly string[]
}

/** Removes those that nothing has written to for so long. Never rejects: what cannot be removed is left. */
export async function removeStaleParts(file: string, clock: Pick<Clock, 'now'>): Promise<Parts> {
  const folder = dirname(resolve(file))
  const names = await readdir(folder).catch(() => [])
  const [removed, left]: [string[], string[]] = [[], []]
  for (const name of names.filter((one) => one.endsWith(PART))) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => null)
    if (stats?.isFile() !== true) continue
    const isStale = clock.now().getTime() - stats.mtimeMs > STALE_HOURS * 3_600_000
    const isRemoved = isStale && (await rm(path).then(...OUTCOME))
    ;(isRemoved ? removed : left).push(path)
  }
  return { removed, left }
}

const OUTCOME = [() => true, () => false] as const
