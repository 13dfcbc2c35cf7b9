/** Mutations by which admins curate facts, as clients see them. The rules are in src/knowledge/admin. */
import { createFact } from '../../../knowledge/admin/facts/create-fact.ts'
import { editFact } from '../../../knowledge/admin/facts/edit-fact.ts'
import { invalidateFact } from '../../../knowledge/admin/facts/invalidate-fact.ts'
import { mergeFacts, MAX_MERGED_FACTS } from '../../../knowledge/admin/facts/merge-facts.ts'
import { restoreFact } from '../../../knowledge/admin/facts/restore-fact.ts'
import { reviewFact } from '../../../knowledge/admin/facts/review-fact.ts'
import { setFactPinned } from '../../../knowledge/admin/facts/set-fact-pinned.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { FactRow } from './fact.ts'
import { ScopeInputType } from './mutations-of-scopes.ts'

const CONTENT =
  'What it says: 1 to 2000 characters that stand for themselves. White space around it is dropped. ' +
  'What a fact in use says already is a conflict.'

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function factResult(name: string) {
  const payload = builder.objectRef<FactChanged>(`${name}Payload`).implement({
    description: 'The fact is as asked. Its history and the audit tell who did it.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ fact: FactRow.field(t, ({ factId }) => factId, 'The fact as it is now.') }),
  })
  return resultUnion(name, payload)
}

const CreateFactInput = builder.inputType('CreateFactInput', {
  description: 'The fact to state.',
  fields: (t) => ({
    content: t.string({ required: true, description: CONTENT }),
    sessionId: t.id({
      description: 'The session that it comes from, for the record: whom it is shown is its scope.',
    }),
    scope: t.field({ type: ScopeInputType, description: 'Whom it is shown; everybody when left out.' }),
  }),
})

builder.mutationField('createFact', (t) =>
  t.field({
    type: factResult('CreateFact'),
    authScopes: { admin: true },
    description: 'States a fact: every plan of its scope may rely on it from now on. For admins.',
    args: { input: t.arg({ type: CreateFactInput, required: true, description: 'The fact.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => createFact(knowledge, viewer, input),
  }),
)

const EditFactInput = builder.inputType('EditFactInput', {
  description: 'The fact, and what it is to say.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact.' }),
    content: t.string({ required: true, description: CONTENT }),
    version: t.int({ required: true, description: 'Fact.version as you have read it.' }),
  }),
})

builder.mutationField('editFact', (t) =>
  t.field({
    type: factResult('EditFact'),
    authScopes: { admin: true },
    description: 'Rewrites a fact that is in use. A conflict when it was changed since you read it. For admins.',
    args: { input: t.arg({ type: EditFactInput, required: true, description: 'The fact, and its new text.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => editFact(knowledge, viewer, input),
  }),
)

const ReviewFactInput = builder.inputType('ReviewFactInput', {
  description: 'The fact that was reviewed.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact; it must be in use.' }),
    version: t.int({ required: true, description: 'Fact.version as you have read it.' }),
  }),
})

builder.mutationField('reviewFact', (t) =>
  t.field({
    type: factResult('ReviewFact'),
    authScopes: { admin: true },
    description:
      'Says that a person has reviewed a fact and lets it stand: Fact.reviewedBy. A conflict when it was changed since ' +
      'you read it; one that was reviewed before stays as it is. For admins.',
    args: { input: t.arg({ type: ReviewFactInput, required: true, description: 'The fact, and its version.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => reviewFact(knowledge, viewer, input),
  }),
)

const SetFactPinnedInput = builder.inputType('SetFactPinnedInput', {
  description: 'The fact, and whether models leave it alone.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact; it must be in use.' }),
    pinned: t.boolean({ required: true, description: 'Fact.pinned from now on.' }),
  }),
})

builder.mutationField('setFactPinned', (t) =>
  t.field({
    type: factResult('SetFactPinned'),
    authScopes: { admin: true },
    description:
      'Pins a fact, or unpins it: no model replaces a pinned one, or proposes to merge, edit or drop it; people may change it ' +
      'as before. It makes no version, and a repeat changes nothing. For admins.',
    args: { input: t.arg({ type: SetFactPinnedInput, required: true, description: 'The fact, and how it is to be.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => setFactPinned(knowledge, viewer, input),
  }),
)

const MergeFactsInput = builder.inputType('MergeFactsInput', {
  description: 'The facts to replace, and what the new one says.',
  fields: (t) => ({
    ids: t.idList({ required: true, description: `The facts: 2 to ${MAX_MERGED_FACTS}, each once.` }),
    content: t.string({ required: true, description: CONTENT }),
  }),
})

builder.mutationField('mergeFacts', (t) =>
  t.field({
    type: factResult('MergeFacts'),
    authScopes: { admin: true },
    description: 'Replaces facts that are in use by a new one, which the payload holds. For admins.',
    args: {
      input: t.arg({ type: MergeFactsInput, required: true, description: 'The facts, and the text of the new one.' }),
    },
    resolve: (_root, { input }, { knowledge, viewer }) => mergeFacts(knowledge, viewer, input),
  }),
)

const InvalidateFactInput = builder.inputType('InvalidateFactInput', {
  description: 'The fact to take out of use.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact.' }),
    reason: t.string({ description: 'Why, for its history and the audit: at most 2000 characters.' }),
  }),
})

builder.mutationField('invalidateFact', (t) =>
  t.field({
    type: factResult('InvalidateFact'),
    authScopes: { admin: true },
    description: 'Takes a fact out of use: no plan from now on sees it. It can be restored. For admins.',
    args: { input: t.arg({ type: InvalidateFactInput, required: true, description: 'The fact, and why.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => invalidateFact(knowledge, viewer, input),
  }),
)

const RestoreFactInput = builder.inputType('RestoreFactInput', {
  description: 'The fact to put into use again.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The fact.' }) }),
})

builder.mutationField('restoreFact', (t) =>
  t.field({
    type: factResult('RestoreFact'),
    authScopes: { admin: true },
    description: 'Puts a fact that was invalidated, merged or consolidated away into use again. For admins.',
    args: { input: t.arg({ type: RestoreFactInput, required: true, description: 'The fact.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => restoreFact(knowledge, viewer, input),
  }),
)
