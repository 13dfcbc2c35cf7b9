/**
 * Which paths mean a whole machine or a whole home, however they are spelled: `/`, `/*`, `//.`, `/usr/..`, `~`,
 * `"$HOME"/*`.
 */
import { HOME_MARK } from './shell-word.ts'

/** A part of a path that matches everything, or everything hidden: `*`, `.*`, `?*`, `{*,.*}`. */
const MATCHES_ALL = /^[*?.{},[\]!^]+$/

/**
 * `path`: the text of a word as `readShell` gives it. `isAtRoot`: the command runs in such a place itself (`cd / && rm
 * -rf *`), so a relative path that names everything there is one too.
 */
export function isRootLike(path: string, isAtRoot: boolean): boolean {
  const isAbsolute = path.startsWith('/') || path.startsWith(HOME_MARK)
  if (path === '' || (!isAbsolute && !isAtRoot)) return false
  return namedParts(path.replace(HOME_MARK, '')).every((part) => MATCHES_ALL.test(part))
}

/** `~/a/../b` → `b`. */
function namedParts(path: string): readonly string[] {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts
}
