/** Mutations by which admins take changes of facts back. The rules are in src/knowledge/admin. */
import { revertFact } from '../../../knowledge/admin/facts/revert-fact.ts'
import { undoChange } from '../../../knowledge/admin/undo-change.ts'
import type { FactChanged } from '../../../store/knowledge/fact-change.ts'
import type { ChangeUndone } from '../../../store/knowledge/undo-change.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { resultUnion } from '../result-union.ts'
import { FactRow, FactType } from './fact.ts'

const RevertFactInput = builder.inputType('RevertFactInput', {
  description: 'The fact, and the version that it is to say again.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The fact; it must be in use.' }),
    version: t.int({ required: true, description: 'A version of its history.' }),
  }),
})

const RevertFactPayload = builder.objectRef<FactChanged>('RevertFactPayload').implement({
  description: 'The fact says again what it said then, as a new version.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ fact: FactRow.field(t, ({ factId }) => factId, 'The fact as it is now.') }),
})

builder.mutationField('revertFact', (t) =>
  t.field({
    type: resultUnion('RevertFact', RevertFactPayload),
    authScopes: { admin: true },
    description:
      'Puts a fact in use back to what it said in an earlier version. A conflict when it says that already. For admins.',
    args: { input: t.arg({ type: RevertFactInput, required: true, description: 'The fact, and the version.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => revertFact(knowledge, viewer, input),
  }),
)

const UndoChangeInput = builder.inputType('UndoChangeInput', {
  description: 'The change to undo.',
  fields: (t) => ({ changeId: t.id({ required: true, description: 'Of Fact.changeId, or of a version.' }) }),
})

const UndoChangePayload = builder.objectRef<ChangeUndone>('UndoChangePayload').implement({
  description: 'The change is undone, as a change of its own.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    facts: t.field({
      type: [FactType],
      extensions: ALL_STORED,
      description: 'All facts that it had touched, as they are now.',
      resolve: ({ factIds }, _args, { database }) =>
        database.prisma.fact.findMany({ where: { id: { in: [...factIds] } }, orderBy: { id: 'asc' } }),
    }),
  }),
})

builder.mutationField('undoChange', (t) =>
  t.field({
    type: resultUnion('UndoChange', UndoChangePayload),
    authScopes: { admin: true },
    description:
      'Undoes all that one change did to facts, such as a merge or a replacement, as a whole: facts are as before it, ' +
      'those that it made go out of use, and what they were learned from waits for a person again. A conflict, and ' +
      'nothing is undone, when one of them was changed since. For admins.',
    args: { input: t.arg({ type: UndoChangeInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, { knowledge, viewer }) => undoChange(knowledge, viewer, input),
  }),
)
