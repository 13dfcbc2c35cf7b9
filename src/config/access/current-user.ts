/**
 * A user as they are now: role and skills are read again before every task, as they may have changed since planning.
 */
import type { User } from '../../core/identity.ts'
import type { Config, UserConfig } from '../config.ts'

export interface CurrentUser extends User {
  /** "*" or the names of the skills that the user may use. */
  readonly skills: UserConfig['skills']
  /** Patterns of names. */
  readonly tools: UserConfig['tools']
}

/** The user with this name, or whom the user with this name has become. Null: the user was removed. */
export function currentUser(config: Config, name: string): CurrentUser | null {
  const user = config.users.get(currentName(config, name))
  return user === undefined ? null : { name: user.name, role: user.role, skills: user.skills, tools: user.tools }
}

/** What a user of this name is called now: another name only if they have become another user. */
export function currentName({ formerNames }: Pick<Config, 'formerNames'>, name: string): string {
  return formerNames.get(name) ?? name
}
