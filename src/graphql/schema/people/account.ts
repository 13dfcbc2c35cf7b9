/** What only a user and admins are shown of the user. */
import type { UserConfig } from '../../../config/config.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

interface Identity {
  readonly connector: string
  readonly identity: string
}

const IdentityType = builder.objectRef<Identity>('PlatformIdentity').implement({
  description: 'As whom a connector knows a user.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    connector: t.exposeString('connector', { description: 'The name of the token of the connector.' }),
    identity: t.exposeString('identity', { description: 'The identity on its platform; compared exactly.' }),
  }),
})

export const AccountType = builder.objectRef<UserConfig>('Account').implement({
  description: 'What a user may use, and how they are known elsewhere.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    declared: t.exposeBoolean('declared', {
      description:
        'config.toml declares the user: only there can role, skills and the identities named there be changed.',
    }),
    allSkills: t.boolean({
      description: 'Whether they may use every skill, also those that are installed later.',
      resolve: ({ skills }) => skills === '*',
    }),
    skills: t.stringList({
      extensions: ALL_STORED,
      description: 'The names of the skills that they may use; empty when they may use all.',
      resolve: ({ skills }) => (skills === '*' ? [] : [...skills]),
    }),
    tools: t.stringList({
      extensions: ALL_STORED,
      description: 'Patterns of the names of tools that they may use ("weather__*"); admins may use all.',
      resolve: ({ tools }) => [...tools],
    }),
    identities: t.field({
      type: [IdentityType],
      extensions: ALL_STORED,
      description: 'As whom connectors know them.',
      resolve: ({ aliases }) =>
        [...aliases].flatMap(([connector, identities]) => identities.map((identity) => ({ connector, identity }))),
    }),
    formerNames: t.stringList({
      extensions: ALL_STORED,
      description: 'Names of users who have become this one.',
      resolve: ({ name }, _args, { config }) =>
        [...config.current().formerNames].flatMap(([former, now]) => (now === name ? [former] : [])),
    }),
  }),
})
