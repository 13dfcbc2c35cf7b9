/** Mutations by which admins curate facts, as clients see them. The rules are in src/knowledge/admin. */
import { createFact } from '../../../knowledge/admin/create-fact.ts'
import { editFact } from '../../../knowledge/admin/edit-fact.ts'
import { invalidateFact } from '../../../knowledge/admin/invalidate-fact.ts'
import { mergeFacts, MAX_MERGED_FACTS } from '../../../knowledge/admin/merge-facts.ts'
import { restoreFact } from '../../../knowledge/admin/restore-fact.ts'
import type { FactChanged } from '../../../store/knowledge/knowledge-fact.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { factField } from '../row-fields.ts'

const CONTENT =
  'What it says: 1 to 2000 characters that stand for themselves. White space around it is dropped. ' +
  'What a fact in use says already is a conflict.'

const FactPayload = builder.objectRef<FactChanged>('FactPayload').implement({
  description: 'The fact is as asked. Its history and the audit tell who did it.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    fact: factField(t),
  }),
})

const FactResult = resultUnion('Fact', FactPayload, ['InvalidInput', 'NotFound', 'Conflict'])

builder.mutationField('createFact', (t) =>
  t.field({
    type: FactResult,
    authScopes: { admin: true },
    description: 'States a fact: every plan from now on may rely on it. For admins.',
    args: {
      content: t.arg.string({ required: true, description: CONTENT }),
      sessionId: t.arg.id({
        description: 'The session that it comes from, for the record: facts count in all sessions.',
      }),
    },
    resolve: (_root, input, { knowledge, viewer }) => createFact(knowledge, viewer, input),
  }),
)

builder.mutationField('editFact', (t) =>
  t.field({
    type: FactResult,
    authScopes: { admin: true },
    description: 'Rewrites a fact that is in use. A conflict when somebody changed it since you read it. For admins.',
    args: {
      id: t.arg.id({ required: true, description: 'The fact.' }),
      content: t.arg.string({ required: true, description: CONTENT }),
      version: t.arg.int({ required: true, description: 'Fact.version as you have read it.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => editFact(knowledge, viewer, input),
  }),
)

builder.mutationField('mergeFacts', (t) =>
  t.field({
    type: FactResult,
    authScopes: { admin: true },
    description: 'Replaces facts that are in use by a new one, which the payload holds. For admins.',
    args: {
      ids: t.arg.idList({ required: true, description: `The facts: 2 to ${MAX_MERGED_FACTS}, each once.` }),
      content: t.arg.string({ required: true, description: CONTENT }),
    },
    resolve: (_root, input, { knowledge, viewer }) => mergeFacts(knowledge, viewer, input),
  }),
)

builder.mutationField('invalidateFact', (t) =>
  t.field({
    type: FactResult,
    authScopes: { admin: true },
    description: 'Takes a fact out of use: no plan from now on sees it. It can be restored. For admins.',
    args: {
      id: t.arg.id({ required: true, description: 'The fact.' }),
      reason: t.arg.string({ description: 'Why, for its history and the audit: at most 2000 characters.' }),
    },
    resolve: (_root, input, { knowledge, viewer }) => invalidateFact(knowledge, viewer, input),
  }),
)

builder.mutationField('restoreFact', (t) =>
  t.field({
    type: FactResult,
    authScopes: { admin: true },
    description: 'Puts a fact that was invalidated, merged or consolidated away into use again. For admins.',
    args: { id: t.arg.id({ required: true, description: 'The fact.' }) },
    resolve: (_root, input, { knowledge, viewer }) => restoreFact(knowledge, viewer, input),
  }),
)
