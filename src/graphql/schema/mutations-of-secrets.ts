/** The mutation by which an admin makes a changed `.env` hold at once. Values are never shown, not to admins either. */
import { AUTHENTICATED } from './access.ts'
import { builder } from './builder.ts'

interface SecretsReloaded {
  readonly names: readonly string[]
}

const ReloadSecretsResult = builder.objectRef<SecretsReloaded>('ReloadSecretsResult').implement({
  description: 'The secrets of the deployment are as the environment and .env say now.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    names: t.stringList({
      description: 'Their names, in the order of the alphabet.',
      resolve: ({ names }) => [...names],
    }),
  }),
})

builder.mutationField('reloadSecrets', (t) =>
  t.field({
    type: ReloadSecretsResult,
    authScopes: { admin: true },
    description:
      'Reads .env of FACTOTUM_HOME again, at once. Without it, every process of the server does so within a second of a change.',
    resolve: (_root, _args, { secrets }) => ({ names: secrets.reload() }),
  }),
)
