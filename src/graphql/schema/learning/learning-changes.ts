/** What a person needs to decide about a learning, and to take the decision back: admins' alone. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import { reachOfScope, type Scope } from '../../../core/knowledge/fact-scope.ts'
import { selectFacts } from '../../../knowledge/select-facts.ts'
import { builder } from '../builder.ts'
import { FactType } from '../fact/fact.ts'
import { LearningType } from './learning.ts'
import { loadAt } from '../paging/load-at.ts'
import { upTo } from '../paging/page-sizes.ts'

const MAX_SIMILAR = 5

builder.prismaObjectField(LearningType, 'similarFacts', (t) =>
  t.field({
    type: [FactType],
    extensions: upTo(MAX_SIMILAR),
    description:
      `At most ${MAX_SIMILAR} facts in use now, of its scope and of all, that are nearest to it, best first: what it may ` +
      'repeat, change or contradict. For admins; for others it is empty.',
    select: { content: true, scope: true, scopeOf: true, sessionId: true },
    resolve: async ({ content, scope, scopeOf, sessionId }, _args, context, info) => {
      if (context.viewer.role !== 'ADMIN') return []
      const { database } = context
      const query = queryFromInfo({ context, info, typeName: 'Fact', select: { id: true, sessionId: true } }) as {
        select: { id: true; sessionId: true }
      }
      const of: Scope = scope === null ? { scope: 'SESSION', scopeOf: sessionId } : { scope, scopeOf }
      const key = { content, of }
      // One search after another: a page of the inbox takes one connection.
      const found = await loadAt({ context, info }, key, async (keys) => {
        const ids = new Map<object, readonly string[]>()
        for (const one of keys) {
          const near = await selectFacts(database, {
            about: one.content,
            reach: reachOfScope(one.of),
            maxCount: MAX_SIMILAR,
          })
          ids.set(
            one,
            near.map(({ id }) => id),
          )
        }
        const rows = await database.prisma.fact.findMany({ ...query, where: { id: { in: [...ids.values()].flat() } } })
        const byId = new Map(rows.map((row) => [row.id, row]))
        return new Map(keys.map((one) => [one, (ids.get(one) ?? []).flatMap((id) => byId.get(id) ?? [])]))
      })
      return found ?? []
    },
  }),
)

builder.prismaObjectField(LearningType, 'changeId', (t) =>
  t.id({
    nullable: true,
    description:
      'The last change of it: promoted, discarded, asked about, answered, refused or left waiting by the ' +
      'curator, or reopened; null before the first, and from before this was kept. What is refused as it is learned has none, as nothing was changed: reopenLearning takes the refusal back. That of a PROMOTED one is for undoChange. For ' +
      'admins; null for others.',
    select: { changeId: true, fact: { select: { history: { where: { version: 1 }, select: { changeId: true } } } } },
    resolve: ({ changeId, fact }, _args, { viewer }) =>
      viewer.role === 'ADMIN' ? (changeId ?? fact?.history[0]?.changeId ?? null) : null,
  }),
)
