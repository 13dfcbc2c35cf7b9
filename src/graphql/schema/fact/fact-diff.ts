/** Fact.diff: what changed between two versions of a fact, word by word. What it said before is admins'. */
import { wordDiff, type DiffPart } from '../../../core/text/word-diff.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { FactType } from './fact.ts'
import { loadAt } from '../paging/load-at.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

const KINDS = { same: 'SAME', added: 'ADDED', removed: 'REMOVED' } as const

const DiffKindEnum = builder.enumType('DiffKind', {
  description: 'What became of a part of a text.',
  values: {
    SAME: { description: 'Both versions have it.' },
    ADDED: { description: 'Only the later one has it.' },
    REMOVED: { description: 'Only the earlier one has it.' },
  } as const satisfies Record<(typeof KINDS)[DiffPart['kind']], object>,
})

const DiffPartType = builder.objectRef<DiffPart>('DiffPart').implement({
  description: 'Words, with what stands between them, that two texts have in common or not.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    kind: t.field({ type: DiffKindEnum, description: 'What became of them.', resolve: ({ kind }) => KINDS[kind] }),
    text: t.exposeString('text', { description: 'The words, as they are written.' }),
  }),
})

builder.prismaObjectField(FactType, 'diff', (t) =>
  t.field({
    type: [DiffPartType],
    nullable: true,
    extensions: ALL_STORED,
    description:
      'What two versions say, word by word: without the parts REMOVED it is what `to` says, without those ADDED what ' +
      '`from` says. Null when there is no such version. For admins; null for others.',
    args: {
      from: t.arg.int({ required: true, description: 'A version of its history.' }),
      to: t.arg.int({ required: true, description: 'Another one, mostly a later one.' }),
    },
    select: { id: true },
    resolve: async (fact, { from, to }, context, info) => {
      if (context.viewer.role !== 'ADMIN') return null
      const versions = await loadAt({ context, info }, fact.id, async (factIds) => {
        const where = { factId: { in: [...factIds] }, version: { in: [from, to] } }
        const rows = await context.database.prisma.factVersion.findMany({ where })
        return Map.groupBy(rows, ({ factId }) => factId)
      })
      const [before, after] = [from, to].map((wanted) => versions?.find(({ version }) => version === wanted))
      return before === undefined || after === undefined ? null : wordDiff(before.content, after.content)
    },
  }),
)
