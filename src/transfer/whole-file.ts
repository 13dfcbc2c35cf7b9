/**
 * A file that is under its name whole or not at all, until then in one of its own beside it: two runs for the same
 * name, as of a timer that comes around before the last one is done, must not write into each other's.
 */
import { createWriteStream, rmSync, type WriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import process from 'node:process'
import { AppError } from '../core/errors.ts'
import { randomHex } from '../platform/random.ts'

/** What ends the name of one that is being written. */
export const PART = '.factotum.part'

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/**
 * Replaces what is there, once `write` has resolved. When it rejects, or a signal ends the process, nothing of it is
 * left. Rejects with TRANSFER_REFUSED, before anything is written, where a folder, a pipe or a device is: replaced by a
 * file, /dev/null would be none any more.
 */
export async function writeWholeFile(path: string, write: (into: WriteStream) => Promise<void>): Promise<void> {
  const there = await stat(path).catch(() => null)
  if (there?.isFile() === false)
    throw new AppError(
      'TRANSFER_REFUSED',
      `${path} is there, and is no file: give the name of one, new or to be replaced.`,
    )
  const part = `${path}.${randomHex(4)}${PART}`
  const end = (signal: NodeJS.Signals): void => {
    rmSync(part, { force: true })
    process.kill(process.pid, signal) // `once`: this time it does what it does by itself
  }
  for (const signal of SIGNALS) process.once(signal, end)
  try {
    await write(createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}
