/** Learnings that are alike, together: a person decides about them once. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import { groupAlike, type AlikeGroup } from '../../../knowledge/consolidation/group-alike.ts'
import { MAX_DECISIONS } from '../../../knowledge/admin/learnings/decide-learnings.ts'
import { must } from '../../../platform/must.ts'
import { builder } from '../builder.ts'
import { LearningType } from './learning.ts'
import { LearningFilterInput, learningsMatching } from './learning-filter.ts'
import { loadAt } from '../paging/load-at.ts'
import { upTo } from '../paging/page-sizes.ts'

const ADMIN = { admin: true } as const
const MAX_GROUPS = 100
/** Learnings that are compared with each other. */
const MAX_COMPARED = 2000

const LearningGroup = builder.objectRef<AlikeGroup>('LearningGroup').implement({
  description: 'Two or more learnings of one scope that are alike.',
  authScopes: ADMIN,
  fields: (t) => ({
    learnings: t.field({
      type: [LearningType],
      extensions: upTo(MAX_DECISIONS),
      description: `All of them, newest first, at most ${MAX_DECISIONS}. Each is in one group only.`,
      resolve: async ({ ids }, _args, context, info) => {
        const query = queryFromInfo({ context, info, typeName: 'Learning', select: { id: true } }) as {
          select: { id: true }
        }
        const found = await loadAt({ context, info }, ids, async (lists) => {
          const where = { id: { in: lists.flat() } }
          const rows = await context.database.prisma.learning.findMany({ ...query, where })
          const byId = new Map(rows.map((row) => [row.id, row]))
          return new Map(lists.map((list) => [list, list.flatMap((id) => byId.get(id) ?? [])]))
        })
        return must(found, 'every group has a list')
      },
    }),
    text: t.exposeString('proposed', {
      nullable: true,
      description:
        'What one fact in the place of all could say: the longest of their texts that keeps the names, numbers and ' +
        'negations of all others. Null when none does, as where they contradict each other.',
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why no text is proposed, as a clause; null when one is.',
    }),
  }),
})

builder.queryField('learningGroups', (t) =>
  t.field({
    type: [LearningGroup],
    nullable: true,
    authScopes: ADMIN,
    description:
      `Learnings that are alike, of the newest ${MAX_COMPARED} that match: at most ${MAX_GROUPS} groups, those with the ` +
      'newest learning first; what is alike to no other is in no group. Further ones come when these are decided, or with ' +
      "the filter's `createdBefore`. Those that wait are meant; `filter` may ask for others. Promote one of a group with " +
      '`text`, and discard the others, by one `decideLearnings`. For admins.',
    extensions: upTo(MAX_GROUPS, 10),
    args: {
      filter: t.arg({ type: LearningFilterInput, description: 'Of which; all that are PENDING when left out.' }),
    },
    resolve: async (_root, { filter }, context) => {
      const where = await learningsMatching(context, { status: ['PENDING'], ...filter })
      const rows = await context.database.prisma.learning.findMany({
        where,
        select: { id: true, content: true, norm: true, scope: true, scopeOf: true, sessionId: true },
        orderBy: { id: 'desc' },
        take: MAX_COMPARED,
      })
      const groups = groupAlike(
        rows.map(({ scope, scopeOf, sessionId, ...text }) => {
          return { ...text, scope: scope === null ? `SESSION ${sessionId}` : `${scope} ${scopeOf}` }
        }),
      )
      return groups.slice(0, MAX_GROUPS).map((group) => ({ ...group, ids: group.ids.slice(0, MAX_DECISIONS) }))
    },
  }),
)
