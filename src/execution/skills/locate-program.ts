/** Where a program is, as skills will find it: in the folders that the PATH of an ADMIN's commands names. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cleanEnvironment } from '../sandbox/clean-environment.ts'

/** Absolute, or null. `path`: another list of folders. */
export function locateProgram(
  name: string,
  path: string | undefined = cleanEnvironment('/', false)['PATH'],
): string | null {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // not there, or not for us: the same for a program that needs it
  }
}
