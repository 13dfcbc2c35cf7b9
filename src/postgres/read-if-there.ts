import { readFile } from 'node:fs/promises'
import { hasCode } from '../platform/error-code.ts'

/** The text of a file, null when there is none. */
export async function readIfThere(file: string): Promise<string | null> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  })
}
