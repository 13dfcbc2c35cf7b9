/** The mutations by which people link their channels themselves, as clients see them. The rules are in src/people. */
import { createLinkCode, type LinkCodeCreated } from '../../../people/create-link-code.ts'
import { redeemLinkCode, type IdentityLinked } from '../../../people/redeem-link-code.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { knownUsers, UserType } from './user.ts'

const CreateLinkCodePayload = builder.objectRef<LinkCodeCreated>('CreateLinkCodePayload').implement({
  description: 'A code for one other channel.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    linkCode: t.exposeString('code', {
      description:
        'What to type in the other channel: "/link <code>". Ten letters and digits with a dash, whose case does not matter; shown only ' +
        'this once.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'From then on it does not work: in ten minutes.',
    }),
  }),
})

builder.mutationField('createLinkCode', (t) =>
  t.field({
    type: resultUnion('CreateLinkCode', CreateLinkCodePayload),
    authScopes: AUTHENTICATED,
    description:
      'Makes a code with which you link another channel yourself. Who uses it there speaks as you from then on, with your role: give ' +
      'it to nobody. It works once. Three at the same time at most; not for connectors.',
    resolve: (_root, _args, { people, viewer }) => createLinkCode(people, viewer),
  }),
)

const RedeemLinkCodePayload = builder.objectRef<IdentityLinked>('RedeemLinkCodePayload').implement({
  description: 'The identity is a user. It holds: here at once, in every process within a second.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    user: t.field({
      type: UserType,
      nullable: true,
      description: 'Who made the code; null when the user was removed meanwhile.',
      resolve: ({ userName }, _args, { config }) => knownUsers(config.current(), [userName])[0] ?? null,
    }),
  }),
})

const RedeemLinkCodeInput = builder.inputType('RedeemLinkCodeInput', {
  description: 'A code that was typed in a channel.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'As it was typed.' }),
    user: t.string({
      required: true,
      description: 'Who has typed it: the identity on the platform, exactly as the connector names it for messages.',
    }),
    merge: t.boolean({
      description:
        'True: where the identity is another user already, that user becomes a part of the one who made the code, for good. Ask them ' +
        'first.',
    }),
  }),
})

builder.mutationField('redeemLinkCode', (t) =>
  t.field({
    type: resultUnion('RedeemLinkCode', RedeemLinkCodePayload),
    authScopes: AUTHENTICATED,
    description:
      'For connectors: the identity that has typed a code is the user who made it, from now on and with their role. `sendMessage` does the ' +
      'same for a message "/link <code>" ("/link <code> merge"). Repeated for the same identity, it is answered as the first time. Five ' +
      'wrong codes of an identity, or fifty of a connector, within ten minutes are the limit. Identities and users that config.toml ' +
      'declares, and administrators, are never given to another user.',
    args: {
      input: t.arg({ type: RedeemLinkCodeInput, required: true, description: 'The code, and who has typed it.' }),
    },
    resolve: (_root, { input }, { people, viewer }) => redeemLinkCode(people, viewer, input),
  }),
)
