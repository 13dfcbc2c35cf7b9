/**
 * A user as configured now: role and skills are read again before every task, as they may have changed since planning.
 */
import type { User } from '../../core/identity.ts'
import type { Config, UserConfig } from '../config.ts'

export interface CurrentUser extends User {
  /** "*" or the names of the skills that the user may use. */
  readonly skills: UserConfig['skills']
}

/** Null: the user was removed from the configuration. */
export function currentUser(config: Config, name: string): CurrentUser | null {
  const user = config.users.get(name)
  return user === undefined ? null : { name: user.name, role: user.role, skills: user.skills }
}
