/** What a model failed with last, as admins see it. */
import type { ModelFailure } from '../../../model/model-failures.ts'
import { builder } from '../builder.ts'

export const ModelFailureType = builder.objectRef<ModelFailure>('ModelFailure').implement({
  description: 'What the last call of a model failed with.',
  authScopes: { admin: true },
  fields: (t) => ({
    provider: t.exposeString('provider', { description: 'The name under [providers] in the configuration.' }),
    model: t.exposeString('model', { description: 'The model as the provider calls it.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    code: t.exposeString('code', { description: 'The code of the error, such as "MODEL_UNREACHABLE".' }),
    problem: t.string({
      description: 'What happened, and what to change. Without secrets.',
      resolve: ({ message }, _args, { secrets }) => secrets.redactLine(message),
    }),
  }),
})
