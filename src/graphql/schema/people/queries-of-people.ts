/** The queries for users and tokens. Both are held in memory. */
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { cutByName, pageByName } from '../paging/page-by-name.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { TokenConnection, toTokenNodes } from './token.ts'
import { toUserNode, UserConnection } from './user.ts'

builder.queryField('users', (t) =>
  t.field({
    type: UserConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All users, by name.',
    args: fromFront(t),
    resolve: (_root, args, { config }, info) => {
      const request = readPageRequest('users1', args, info)
      return pageByName('users1', request, cutByName(config.current().users.values(), request).map(toUserNode))
    },
  }),
)

builder.queryField('tokens', (t) =>
  t.field({
    type: TokenConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All tokens that are let in, by name, with when they were last used; never what they are.',
    args: {
      ...fromFront(t),
      user: t.arg.string({ description: 'Only those that act for this user.' }),
    },
    resolve: async (_root, { user, ...args }, context, info) => {
      const request = readPageRequest('tokens1', args, info)
      const tokens = [...context.config.current().tokens.values()].filter((one) => user == null || one.user === user)
      return pageByName('tokens1', request, await toTokenNodes(context, cutByName(tokens, request)))
    },
  }),
)
