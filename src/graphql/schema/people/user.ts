/** People: those whom config.toml declares, and those whom admins have added. */
import { currentName } from '../../../config/access/current-user.ts'
import type { Config } from '../../../config/config.ts'
import type { User } from '../../../core/identity.ts'
import { namedId } from '../../../platform/id.ts'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { RoleEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { addLookup, brand } from '../row.ts'
import { connectionType } from '../paging/connection-type.ts'
import { visibleSessions } from '../session/session-visibility.ts'
import { AccountType } from './account.ts'
import { ActorInterface } from './actor.ts'

/** A user as the API shows them. */
export interface UserNode extends User {
  /** Follows from the name, which is for good. */
  readonly id: string
}

export const UserType = builder.objectRef<UserNode>('User').implement({
  description: 'A person whom the server knows. The name is for good: no other user is ever given it.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface, ActorInterface],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "user_", and follows from the name.' }),
    role: t.expose('role', { type: RoleEnum, description: 'The role that they have now.' }),
    account: t.field({
      type: AccountType,
      nullable: true,
      description: 'What they may use, and how they are known elsewhere: for themselves and for admins; else null.',
      resolve: ({ name }, _args, { viewer, config }) =>
        viewer.role === 'ADMIN' || viewer.user?.name === name ? (config.current().users.get(name) ?? null) : null,
    }),
  }),
})

export const UserConnection = connectionType(UserType, 'by name')

export function toUserNode({ name, role }: User): UserNode {
  return { id: namedId('user', name), name, role }
}

/** The users of these names, or whom they have become, each once; those that were removed are left out. */
export function knownUsers(config: Config, names: readonly string[]): UserNode[] {
  const now = new Set(names.map((name) => currentName(config, name)))
  return [...now].flatMap((name) => config.users.get(name) ?? []).map(toUserNode)
}

/**
 * Null unless the viewer may know of the user: themselves, who takes part in a session that they see, or any for
 * admins.
 */
async function findUserNode(context: GraphQLContext, id: string): Promise<UserNode | null> {
  const { viewer, config, database } = context
  const user = [...config.current().users.values()].find(({ name }) => namedId('user', name) === id)
  if (user === undefined) return null
  if (viewer.role !== 'ADMIN' && viewer.user?.name !== user.name) {
    const where = { userName: user.name, session: visibleSessions(viewer) }
    const isSeen = await database.prisma.participant.findFirst({ where, select: { userName: true } })
    if (isSeen === null) return null
  }
  return toUserNode(user)
}

addLookup('user', async (id, context) => brand('User', await findUserNode(context, id)))
