/**
 * The first start: where there is no config.toml, writes a commented one with an admin and a token. The file appears
 * whole or not at all, so that a process killed here leaves nothing that the next start stumbles over; and of two
 * processes that start at once, only one writes it.
 */
import { existsSync } from 'node:fs'
import { link, open, unlink } from 'node:fs/promises'
import { AppError, messageOf } from '../core/errors.ts'
import { randomHex } from '../platform/random.ts'
import { newToken } from './command-line/new-token.ts'
import { sampleConfig } from './sample-config.ts'

export interface FirstStart {
  /** The new admin's token. It is stored nowhere: show it now. */
  readonly token: string
}

/**
 * Null: there already is a file at `path`, and it is untouched. The folder must exist. Rejects with CONFIG_INVALID when
 * the file cannot be written.
 */
export async function writeFirstConfig(path: string): Promise<FirstStart | null> {
  if (existsSync(path)) return null
  const { token, sha256 } = newToken()
  try {
    return (await createWhole(path, sampleConfig(sha256))) ? { token } : null
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `${path} cannot be written: ${messageOf(error)}`, { cause: error })
  }
}

/** False: another process has created it meanwhile. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draftPath = `${path}.${randomHex(8)}.new`
  await writeDurably(draftPath, text)
  try {
    await link(draftPath, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draftPath)
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
