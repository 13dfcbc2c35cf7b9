/** People as the configuration names them. */
import type { Config } from '../../../config/config.ts'
import type { User } from '../../../core/identity.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { RoleEnum } from '../enums.ts'

export const UserType = builder.objectRef<User>('User').implement({
  description: 'A person whom the configuration names.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name under [users] in the configuration.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role that the current configuration gives them.' }),
  }),
})

/** The users of these names that the configuration still knows. */
export function configuredUsers(config: Config, names: readonly string[]): User[] {
  return names.flatMap((name) => config.users.get(name) ?? []).map(({ name, role }) => ({ name, role }))
}
