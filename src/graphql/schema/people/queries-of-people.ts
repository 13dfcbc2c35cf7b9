/** The queries for users and tokens. Both are held in memory: a page is cut out of the sorted names. */
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { toPage, type Page } from '../paging/page.ts'
import { readPageRequest, type PageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { TokenConnection, toTokenNodes } from './token.ts'
import { toUserNode, UserConnection } from './user.ts'

type NamedKind = 'users1' | 'tokens1'

interface Named {
  readonly name: string
}

/** Those that follow the cursor, by name, one more than a page has. */
function cut<Entry extends Named>(entries: Iterable<Entry>, request: PageRequest<NamedKind>): Entry[] {
  const after = request.after?.[0] ?? ''
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.filter(({ name }) => name > after).slice(0, request.size + 1)
}

function pageOf<Node extends Named>(
  kind: NamedKind,
  request: PageRequest<NamedKind>,
  nodes: readonly Node[],
): Page<Node> {
  return toPage(
    kind,
    request,
    nodes.map((node) => ({ node, position: [node.name] as [string] })),
  )
}

builder.queryField('users', (t) =>
  t.field({
    type: UserConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All users, by name.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
    },
    resolve: (_root, args, { config }, info) => {
      const request = readPageRequest('users1', args, info)
      return pageOf('users1', request, cut(config.current().users.values(), request).map(toUserNode))
    },
  }),
)

builder.queryField('tokens', (t) =>
  t.field({
    type: TokenConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'All tokens that are let in, by name, with when they were last used; never what they are.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      user: t.arg.string({ description: 'Only those that act for this user.' }),
    },
    resolve: async (_root, { user, ...args }, context, info) => {
      const request = readPageRequest('tokens1', args, info)
      const tokens = [...context.config.current().tokens.values()].filter((one) => user == null || one.user === user)
      return pageOf('tokens1', request, await toTokenNodes(context, cut(tokens, request)))
    },
  }),
)
