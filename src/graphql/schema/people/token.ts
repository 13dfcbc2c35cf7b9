/** Tokens, without their secrets: these are shown once, by `createToken`. */
import type { Config, TokenConfig } from '../../../config/config.ts'
import { namedId } from '../../../platform/id.ts'
import { readTokenDates, type TokenDates } from '../../../store/people/token-uses.ts'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { TokenKindEnum } from '../enums.ts'
import { NodeInterface } from '../node.ts'
import { addLookup, brand } from '../row.ts'
import { connectionType } from '../paging/connection-type.ts'
import { toUserNode, UserType } from './user.ts'

/** A token as the API shows it. */
export interface TokenNode extends Pick<
  TokenConfig,
  'name' | 'kind' | 'user' | 'namespace' | 'declared' | 'expiresAt'
> {
  readonly id: string
  readonly dates: TokenDates | null
}

export const TokenType = builder.objectRef<TokenNode>('Token').implement({
  description: 'With which a caller is known: a user, or a connector that speaks for many.',
  authScopes: { admin: true },
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "token_", and follows from the name.' }),
    name: t.exposeString('name', { description: 'By which sessions and the audit name it.' }),
    kind: t.expose('kind', { type: TokenKindEnum, description: 'Whether it stands for one user or for a connector.' }),
    user: t.field({
      type: UserType,
      nullable: true,
      description: 'For whom it acts; null for connectors.',
      resolve: ({ user }, _args, { config }) => {
        const known = config.current().users.get(user ?? '')
        return known === undefined ? null : toUserNode(known)
      },
    }),
    namespace: t.exposeString('namespace', {
      nullable: true,
      description: 'Of a connector: the ids of its sessions begin with this and a colon; null: it is not confined.',
    }),
    declared: t.exposeBoolean('declared', { description: 'config.toml declares it: only there can it be removed.' }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was made, or declared first.',
      resolve: ({ dates }) => dates?.createdAt ?? null,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on it is refused; null: it does not expire.',
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, some ten seconds late; null: never since this is recorded.',
      resolve: ({ dates }) => dates?.lastUsedAt ?? null,
    }),
  }),
})

export const TokenConnection = connectionType(TokenType, 'by name')

/** With their dates, by one statement. */
export async function toTokenNodes(
  { database }: Pick<GraphQLContext, 'database'>,
  tokens: readonly TokenConfig[],
): Promise<TokenNode[]> {
  const dates = await readTokenDates(
    database,
    tokens.map(({ name }) => name),
  )
  return tokens.map((token) => {
    const { name, kind, user, namespace, declared, expiresAt } = token
    const id = namedId('token', name)
    return { id, name, kind, user, namespace, declared, expiresAt, dates: dates.get(name) ?? null }
  })
}

/** For admins; null: there is none. */
async function findTokenNode(context: GraphQLContext, id: string): Promise<TokenNode | null> {
  if (context.viewer.role !== 'ADMIN') return null
  const token = tokenById(context.config.current(), id)
  const [node = null] = token === undefined ? [] : await toTokenNodes(context, [token])
  return node
}

function tokenById({ tokens }: Config, id: string): TokenConfig | undefined {
  return [...tokens.values()].find(({ name }) => namedId('token', name) === id)
}

addLookup('token', async (id, context) => brand('Token', await findTokenNode(context, id)))
