/**
 * Which facts turns were shown and which they say that they relied on: Turn.factsShown, Turn.factsUsed, and the
 * reverse, Fact.usedBy. What a model names is its word, no proof; it can name only what it was shown.
 */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import { must } from '../../../platform/must.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { FactType } from './fact.ts'
import { countUses, MAX_USES, readUsePages } from './fact-uses.ts'
import { factsShown } from './facts-shown.ts'
import { loadAt } from '../paging/load-at.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import { TurnRow, TurnType } from '../turn/turn.ts'

builder.prismaObjectField(TurnType, 'factsShown', (t) =>
  t.field({
    type: [FactType],
    extensions: ALL_STORED,
    description:
      'The facts that stood in its prompts, as they are now, oldest first; none that you are not shown. Mostly more ' +
      'than it used.',
    select: { factsShown: { select: { factIds: true } } },
    resolve: ({ factsShown: shown }, _args, context, info) => loadFacts(context, info, shown?.factIds ?? NONE),
  }),
)

builder.prismaObjectField(TurnType, 'factsUsed', (t) =>
  t.field({
    type: [FactType],
    extensions: ALL_STORED,
    description:
      'Of the facts that it was shown, those that its plan or its answers said they relied on, as they are now, oldest ' +
      'first; none that you are not shown. It is the word of the models. Empty for turns from before this was kept.',
    select: { factsUsed: { select: { factId: true }, orderBy: { factId: 'asc' } } },
    resolve: ({ factsUsed }, _args, context, info) =>
      loadFacts(
        context,
        info,
        factsUsed.map(({ factId }) => factId),
      ),
  }),
)

const NONE: readonly string[] = []

/** Those of `ids` that the viewer is shown, in their order; those of all turns at one place are read together. */
async function loadFacts(context: GraphQLContext, info: GraphQLResolveInfo, ids: readonly string[]) {
  if (ids.length === 0) return []
  const query = queryFromInfo({ context, info, typeName: 'Fact', select: { id: true, sessionId: true } }) as {
    select: { id: true; sessionId: true }
  }
  const facts = await loadAt({ context, info }, ids, async (lists) => {
    const shown = await factsShown(context, [...new Set(lists.flat())])
    const rows = await context.database.prisma.fact.findMany({ ...query, where: { id: { in: [...shown] } } })
    const byId = new Map(rows.map((row) => [row.id, row]))
    return new Map(lists.map((list) => [list, list.flatMap((id) => byId.get(id) ?? [])]))
  })
  return must(facts, 'every turn has a list')
}

builder.prismaObjectField(FactType, 'usedBy', (t) =>
  t.field({
    type: TurnRow.connection,
    description:
      'The turns that said they relied on it, newest first, of sessions that you may see; also when it is out of ' +
      'use: what they answered may be as wrong as it. Those that were only shown it are not among them.',
    args: fromFront(t),
    select: { id: true },
    resolve: (fact, args, context, info) =>
      TurnRow.below({ cursor: 'factTurns1', args, context, info }, fact.id, {
        read: (request, ids) => readUsePages(context, request, ids),
        position: ({ id }): [string] => [id],
      }),
  }),
)

builder.prismaObjectField(FactType, 'useCount', (t) =>
  t.int({
    description: `How many turns usedBy holds for you: exact below ${MAX_USES}; ${MAX_USES} is that many or more.`,
    select: { id: true },
    resolve: async (fact, _args, context, info) => {
      const count = await loadAt({ context, info }, fact.id, (ids) => countUses(context, ids))
      return count ?? 0
    },
  }),
)
