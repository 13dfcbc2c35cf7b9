/** A lock between processes: a file that is there while one of them works. */
import { open, rm } from 'node:fs/promises'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'

const LOCK_WAIT_MS = 5000
const LOCK_POLL_MS = 50

/** Of two commands that lock by the same file, the second waits, for 5 s. Resolves to what unlocks. */
export async function lockBy(path: string, clock: Clock): Promise<() => Promise<void>> {
  const deadlineMs = clock.monotonicMs() + LOCK_WAIT_MS
  for (;;) {
    try {
      const handle = await open(path, 'wx', 0o600)
      await handle.close()
      return () => rm(path, { force: true })
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      if (!isTaken)
        throw new AppError('CONFIG_INVALID', `${path} cannot be written: ${messageOf(error)}`, { cause: error })
      if (clock.monotonicMs() >= deadlineMs) throw locked(path)
      await clock.sleep(LOCK_POLL_MS)
    }
  }
}

function locked(path: string): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `Another "factotum" has been making a token; if none is any more, delete ${path}.`,
  )
}
