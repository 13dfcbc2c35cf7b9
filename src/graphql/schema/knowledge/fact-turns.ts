/** Which turns used which facts: Turn.factsUsed, and the reverse, Fact.usedBy. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import { must } from '../../../platform/must.ts'
import type { Database } from '../../../store/database.ts'
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { FactType } from './fact.ts'
import { factsShown } from './facts-shown.ts'
import { loadAt } from '../paging/load-at.ts'
import { loadNestedPages, type ChildKey } from '../paging/load-nested-pages.ts'
import { readPageRequest, type PageRequest } from '../paging/page-request.ts'
import { ALL_STORED, PAGES } from '../paging/page-sizes.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { TurnConnection, TurnType } from '../turn/turn.ts'

builder.prismaObjectField(TurnType, 'factsUsed', (t) =>
  t.field({
    type: [FactType],
    extensions: ALL_STORED,
    description: 'The facts that its planner was shown, as they are now, oldest first; none that you are not shown.',
    select: { factsUsed: { select: { factIds: true } } },
    resolve: async ({ factsUsed }, _args, context, info) => {
      if (factsUsed === null) return []
      const { prisma } = context.database
      const query = queryFromInfo({ context, info, typeName: 'Fact', select: { id: true, sessionId: true } }) as {
        select: { id: true; sessionId: true }
      }
      const facts = await loadAt({ context, info }, factsUsed.factIds, async (lists) => {
        const shown = await factsShown(context, [...new Set(lists.flat())])
        const rows = await prisma.fact.findMany({ ...query, where: { id: { in: [...shown] } } })
        const byId = new Map(rows.map((row) => [row.id, row]))
        return new Map(lists.map((ids) => [ids, ids.flatMap((id) => byId.get(id) ?? [])]))
      })
      return must(facts, 'every turn has a list')
    },
  }),
)

builder.prismaObjectField(FactType, 'usedBy', (t) =>
  t.field({
    type: TurnConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'The turns whose planner was shown it, newest first. For admins; null with an error for others.',
    extensions: PAGES,
    args: { first: t.arg.int({ description: PAGING.first }), after: t.arg.string({ description: PAGING.after }) },
    select: { id: true },
    resolve: async (fact, args, context, info) => {
      const { database } = context
      const request = readPageRequest('factTurns1', args, info)
      const query = selectNodes({ context, info }, 'Turn', { id: true })
      const page = await loadAt({ context, info }, fact.id, (factIds) =>
        loadNestedPages(
          {
            kind: 'factTurns1',
            request,
            readKeys: (ids) => readFactTurnPages(database, request, ids),
            position: (key): [string] => [key.id],
            loadRows: (ids) => database.prisma.turn.findMany({ ...query, where: { id: { in: ids } } }),
          },
          factIds,
        ),
      )
      return must(page, 'every fact has a page')
    },
  }),
)

/** Ids of turns sort by the time of their message. */
function readFactTurnPages(
  database: Database,
  request: PageRequest<'factTurns1'>,
  factIds: readonly string[],
): Promise<ChildKey[]> {
  const after = request.after?.[0] ?? null
  const statement = {
    name: after === null ? 'page-of-fact-turns' : 'page-of-fact-turns-after',
    text: `
      SELECT parent.id AS parent_id, child.id
      FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT turn_id AS id FROM turn_facts
        WHERE fact_ids @> ARRAY[parent.id] ${after === null ? '' : 'AND turn_id < $3::text'}
        ORDER BY turn_id DESC LIMIT $2
      ) child
      ORDER BY child.id DESC`,
  }
  const values = [factIds, request.size + 1]
  return database.query<ChildKey>(statement, after === null ? values : [...values, after])
}
