/** The mutation by which an admin makes a changed `.env` hold at once. Values are never shown, not to admins either. */
import type { SecretsReloaded } from '../../../secrets/secret-store.ts'
import { appendAudit } from '../../../store/audit-entries.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'

const ReloadSecretsPayload = builder.objectRef<SecretsReloaded>('ReloadSecretsPayload').implement({
  description: 'The secrets of the deployment are as the environment and .env say now.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    names: t.stringList({
      extensions: ALL_STORED,
      description: 'Their names, in the order of the alphabet.',
      resolve: ({ names }) => [...names],
    }),
  }),
})

builder.mutationField('reloadSecrets', (t) =>
  t.field({
    type: resultUnion('ReloadSecrets', ReloadSecretsPayload),
    authScopes: { admin: true },
    description:
      'Reads .env of FACTOTUM_HOME again, at once. Without it, every process of the server does so within a second of a change.',
    resolve: async (_root, _args, { secrets, database, clock, viewer }) => {
      const reloaded = secrets.reload()
      const body = { kind: 'CONFIG', change: 'SECRETS_RELOADED', detail: 'Asked for by reloadSecrets.' } as const
      const { tokenName, user } = viewer
      const entry = { at: clock.now(), sessionId: null, turnId: null, actor: user?.name ?? null, tokenName, body }
      await appendAudit(database, [entry])
      return reloaded
    },
  }),
)
