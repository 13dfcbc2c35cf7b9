/**
 * Going down into a folder that others change meanwhile: every step begins at a folder that is held open and follows no
 * link, so nothing outside of where it began is reached, whatever is moved or replaced.
 */
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'

/** For opening a folder itself, and no link to one. */
export const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** A folder that is open; `path` is where it was when it was opened. */
export interface HeldFolder {
  readonly fd: number
  readonly path: string
}

/** Goes down from the workspace folder by folder, following no link. Throws what the system says. */
export function inside<T>(workspace: string, names: readonly string[], use: (folder: HeldFolder) => T): T {
  const enter = (folder: HeldFolder, [next, ...further]: readonly string[]): T =>
    next === undefined ? use(folder) : within(folder, next, (inner) => enter(inner, further))
  return hold(workspace, workspace, (root) => enter(root, names))
}

/** Opens the folder `name` of `parent` while `use` runs. Throws what the system says, ELOOP or ENOTDIR for a link. */
export function within<T>(parent: HeldFolder, name: string, use: (folder: HeldFolder) => T): T {
  return hold(at(parent, name), join(parent.path, name), use)
}

function hold<T>(openAs: string, path: string, use: (folder: HeldFolder) => T): T {
  const fd = openSync(openAs, FOLDER_FLAGS)
  try {
    return use({ fd, path })
  } finally {
    closeSync(fd)
  }
}

/** What is open itself, or `name` in it. Where there is no /proc (macOS), by its path. */
export function at({ fd, path }: HeldFolder, name = ''): string {
  if (process.platform !== 'linux') return join(path, name)
  return name === '' ? `/proc/self/fd/${fd}` : `/proc/self/fd/${fd}/${name}`
}
