/** What a user may use, by the configuration: admins all, users what is named for them. */
import { matchesTool } from '../../core/tool/tool-name.ts'
import type { CurrentUser } from './current-user.ts'

export function mayUseSkill({ role, skills }: Pick<CurrentUser, 'role' | 'skills'>, name: string): boolean {
  return role === 'ADMIN' || skills === '*' || skills.includes(name)
}

/** Of skills' own names nothing is said here: they are used as skills. */
export function mayUseTool({ role, tools }: Pick<CurrentUser, 'role' | 'tools'>, name: string): boolean {
  return role === 'ADMIN' || tools.some((pattern) => matchesTool(pattern, name))
}
