/** The skills that a user may use now, by name: what the planner is offered, and what the door shows. */
import type { CurrentUser } from '../../config/access/current-user.ts'
import { mayUseSkill } from '../../config/access/may-use-skill.ts'
import type { Skills } from './skill-catalog.ts'
import type { InstalledSkill } from './skill-folder.ts'

/** `user` null: the caller is no user of the configuration, such as a connector; it may use none. */
export function usableSkills(skills: Skills, user: CurrentUser | null): readonly InstalledSkill[] {
  if (user === null) return []
  return [...skills.scan().skills.values()]
    .filter(({ name }) => mayUseSkill(user, name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
