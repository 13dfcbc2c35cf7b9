/** The mutations by which admins make and revoke tokens, as clients see them. The rules are in src/people. */
import { createToken, revokeToken, type TokenCreated, type TokenRevoked } from '../../../people/change-tokens.ts'
import { namedId } from '../../../platform/id.ts'
import { builder } from '../builder.ts'
import { TokenKindEnum } from '../enums.ts'
import { resultUnion } from '../result-union.ts'
import { TokenType, toTokenNodes } from './token.ts'

const ADMIN = { admin: true } as const

const CreateTokenPayload = builder.objectRef<TokenCreated>('CreateTokenPayload').implement({
  description: 'The token is let in: here at once, in every process within a second.',
  authScopes: ADMIN,
  fields: (t) => ({
    token: t.field({
      type: TokenType,
      nullable: true,
      description: 'The token, without its secret; null when it was revoked meanwhile.',
      resolve: async ({ tokenName }, _args, context) => {
        const token = context.config.current().tokens.get(tokenName)
        const [node = null] = token === undefined ? [] : await toTokenNodes(context, [token])
        return node
      },
    }),
    secret: t.exposeString('secret', {
      description:
        'What callers send: "Authorization: Bearer <secret>". It is shown only this once; only its hash is kept.',
    }),
  }),
})

const CreateTokenInput = builder.inputType('CreateTokenInput', {
  description: 'Who may call.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: '1 to 32 lower-case letters, digits, "_" and "-". A revoked one of the same rights is replaced.',
    }),
    kind: t.field({ type: TokenKindEnum, required: true, description: 'For one user, or for a connector.' }),
    user: t.string({ description: 'For kind USER: the name of the user for whom it acts.' }),
    namespace: t.string({
      description:
        'For kind CONNECTOR: confines it to sessions whose ids begin with this and a colon; its own name when left out. "*": it is not ' +
        'confined.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'From then on it is refused; never when left out.' }),
  }),
})

builder.mutationField('createToken', (t) =>
  t.field({
    type: resultUnion('CreateToken', CreateTokenPayload),
    authScopes: ADMIN,
    description: 'Makes a token. Its secret is in the answer, and nowhere else.',
    args: { input: t.arg({ type: CreateTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, { people, viewer }) => createToken(people, viewer, input),
  }),
)

const RevokeTokenPayload = builder.objectRef<TokenRevoked>('RevokeTokenPayload').implement({
  description: 'The token is refused from now on; its open connections end.',
  authScopes: ADMIN,
  fields: (t) => ({
    revokedTokenId: t.id({
      description: 'The id that the token had.',
      resolve: ({ tokenName }) => namedId('token', tokenName),
    }),
  }),
})

const RevokeTokenInput = builder.inputType('RevokeTokenInput', {
  description: 'Who may no longer call.',
  fields: (t) => ({ name: t.string({ required: true, description: 'The name of the token.' }) }),
})

builder.mutationField('revokeToken', (t) =>
  t.field({
    type: resultUnion('RevokeToken', RevokeTokenPayload),
    authScopes: ADMIN,
    description:
      'Revokes a token. Refused for those that config.toml declares, and for the last token of the last admin.',
    args: { input: t.arg({ type: RevokeTokenInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { people, viewer }) => revokeToken(people, viewer, input),
  }),
)
