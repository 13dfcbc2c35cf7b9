/** The mutation by which admins try the model of a role. The rules are in src/agents. */
import { checkModel, type ModelChecked } from '../../../agents/check-model.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'

const CheckModelPayload = builder.objectRef<ModelChecked>('CheckModelPayload').implement({
  description: 'The call was made; whether the model answered it is in "outcome".',
  authScopes: { admin: true },
  fields: (t) => ({
    role: t.exposeString('role', { description: 'As which role it was asked.' }),
    provider: t.exposeString('provider', {
      description: 'The name under [providers] in the configuration, or "rehearsal".',
    }),
    model: t.exposeString('model', { description: 'The model as the provider calls it.' }),
    outcome: t.exposeString('outcome', { description: 'How the call ended: "OK", or the code of an error.' }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why it did not answer, and what to change; null when it did.',
    }),
    followsSchema: t.exposeBoolean('followsSchema', {
      description: 'It answered with the JSON that it was asked for. Plans, reviews and what is learned need that.',
    }),
    callMs: t.exposeInt('callMs', { description: 'How many milliseconds the call took.' }),
    inputTokens: t.int({ description: 'Tokens that it read.', resolve: ({ tokens }) => tokens.inputTokens }),
    outputTokens: t.int({ description: 'Tokens that it wrote.', resolve: ({ tokens }) => tokens.outputTokens }),
  }),
})

const CheckModelInput = builder.inputType('CheckModelInput', {
  description: 'Which model to try.',
  fields: (t) => ({
    role: t.string({ required: true, description: 'The agent role that it plays, as in Server.models.' }),
  }),
})

builder.mutationField('checkModel', (t) =>
  t.field({
    type: resultUnion('CheckModel', CheckModelPayload),
    authScopes: { admin: true },
    description:
      'Makes one small real call of the first model of a role, and waits for it for at most 30 seconds. Costs a few tokens, and ' +
      'stands in the audit as any other call. Each call does it once more.',
    args: { input: t.arg({ type: CheckModelInput, required: true, description: 'Which.' }) },
    resolve: (_root, { input }, { modelChecks, viewer }) => checkModel(modelChecks, viewer, input),
  }),
)
