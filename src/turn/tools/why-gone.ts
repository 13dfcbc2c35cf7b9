/**
 * Why a tool is not there now, as far as a session may show it. The cause itself may name addresses and files of the
 * deployment; all who are in the session read its tasks, so it stays with the admins' list (`Query.toolProblems`).
 */
import type { CurrentUser } from '../../config/access/current-user.ts'
import { mayUseTool } from '../../config/access/may-use-skill.ts'
import { toolSourceOf } from '../../core/tool/tool-name.ts'
import type { ToolSnapshot } from '../../tools/tool-catalog.ts'

/** Half a sentence, for people and the model; null where nothing is known, or where the user may not use the tool. */
export function whyGone(
  { problems }: Pick<ToolSnapshot, 'problems'>,
  name: string,
  user: Pick<CurrentUser, 'role' | 'tools'>,
): string | null {
  const source = toolSourceOf(name)
  if (!problems.has(source) || !mayUseTool(user, name)) return null
  return `${source}, which it belongs to, is not there now; an administrator can see why in the list of tools`
}
