/** Mutations about whom facts are shown, and by which users say that one is wrong. The rules are in src/knowledge. */
import { disputeFact } from '../../../knowledge/dispute-fact.ts'
import { MAX_SCOPED_FACTS, setFactScopes, type FactsScoped } from '../../../knowledge/admin/facts/set-fact-scopes.ts'
import { notFound } from '../../../core/refusal.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { FactRow } from './fact.ts'
import { factsShown } from './facts-shown.ts'
import { FactScopeEnum } from './fact-enums.ts'
import { matchable } from '../values/matchable.ts'

export const ScopeInputType = builder.inputType('FactScopeInput', {
  description: 'Whom a fact is to be shown.',
  fields: (t) => ({
    scope: t.field({ type: FactScopeEnum, required: true, description: 'How far it reaches.' }),
    of: t.string({
      description:
        "PROJECT: the label, at most 200 characters. USER: the user's name. SESSION: its id. None with GLOBAL.",
    }),
  }),
})

const SetFactScopesInput = builder.inputType('SetFactScopesInput', {
  description: 'The facts, and whom they are to be shown.',
  fields: (t) => ({
    ids: t.idList({ required: true, description: `1 to ${MAX_SCOPED_FACTS} facts in use, each once.` }),
    scope: t.field({ type: ScopeInputType, required: true, description: 'Their scope from now on.' }),
  }),
})

const SetFactScopePayload = builder.objectRef<FactChanged>('SetFactScopePayload').implement({
  description: 'The fact has the scope.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ fact: FactRow.field(t, ({ factId }) => factId, 'The fact as it is now.') }),
})
const SetFactScopeResult = resultUnion('SetFactScope', SetFactScopePayload)

const ScopedFactType = builder.objectRef<FactsScoped['results'][number]>('ScopedFact').implement({
  description: 'What came of one of many facts.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    factId: t.exposeID('id', { description: 'The fact, as the input names it.' }),
    result: t.field({
      type: SetFactScopeResult,
      description: 'The fact as it is now, or why it was refused.',
      resolve: ({ result }) => result,
    }),
  }),
})

const SetFactScopesPayload = builder.objectRef<FactsScoped>('SetFactScopesPayload').implement({
  description: 'What came of each fact.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    results: t.field({
      type: [ScopedFactType],
      extensions: ALL_STORED,
      description: 'In the order of the input, one for each.',
      resolve: ({ results }) => [...results],
    }),
  }),
})

builder.mutationField('setFactScopes', (t) =>
  t.field({
    type: resultUnion('SetFactScopes', SetFactScopesPayload),
    authScopes: { admin: true },
    description:
      'Says whom facts are shown from now on, such as everybody what one user has taught. Each is changed or refused for ' +
      'itself, a fact that is of the scope already as a conflict; what is changed is one change, for undoChange. For admins.',
    args: { input: t.arg({ type: SetFactScopesInput, required: true, description: 'The facts, and their scope.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => setFactScopes(knowledge, viewer, input),
  }),
)

const DisputeFactInput = builder.inputType('DisputeFactInput', {
  description: 'The fact that is wrong.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact; it must be in use, and shown to you.' }),
    reason: t.string({ required: true, description: 'What is wrong with it, for admins: 1 to 2000 characters.' }),
  }),
})

const DisputeFactPayload = builder.objectRef<FactChanged>('DisputeFactPayload').implement({
  description: 'Admins are asked about the fact. It stays in use until one decides.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ fact: FactRow.field(t, ({ factId }) => factId, 'The fact.') }),
})

builder.mutationField('disputeFact', (t) =>
  t.field({
    type: resultUnion('DisputeFact', DisputeFactPayload),
    authScopes: AUTHENTICATED,
    description:
      'Says that a fact is wrong: a question about it is put to admins (`questions`, source DISPUTE), who settle it by ' +
      'resolveQuestion. A conflict while what you said of it before is open. For users.',
    args: { input: t.arg({ type: DisputeFactInput, required: true, description: 'The fact, and what is wrong.' }) },
    resolve: async (_root, { input }, context) => {
      const isShown = (await factsShown(context, [matchable(input.id)])).has(input.id)
      return isShown ? disputeFact(context.knowledge, context.viewer, input) : notFound('fact', input.id)
    },
  }),
)
