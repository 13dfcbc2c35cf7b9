/** Whether a user may use a skill, by the configuration: admins all, users those that are named for them (or "*"). */
import type { CurrentUser } from './current-user.ts'

export function mayUseSkill({ role, skills }: Pick<CurrentUser, 'role' | 'skills'>, name: string): boolean {
  return role === 'ADMIN' || skills === '*' || skills.includes(name)
}
