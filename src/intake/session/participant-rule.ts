/** Only users of the configuration can participate in a session. */
import type { Config } from '../../config/config.ts'
import type { InputIssue } from '../../core/refusal.ts'

const MAX_AT_ONCE = 100

/** None for a user of the configuration; `path` is the input field that the issue names. */
export function participantIssues(config: Config, path: readonly string[], name: string): InputIssue[] {
  if (config.users.has(name)) return []
  return [{ path, message: `"${name}" is no user of this server` }]
}

/** For a list of names; each issue's path ends with the position in the list. */
export function participantListIssues(
  config: Config,
  path: readonly string[],
  names: readonly string[] | null | undefined,
): InputIssue[] {
  const list = names ?? []
  if (list.length > MAX_AT_ONCE) {
    return [{ path, message: `must name at most ${MAX_AT_ONCE} users at once, not ${list.length}` }]
  }
  return list.flatMap((name, index) => participantIssues(config, [...path, String(index)], name))
}
