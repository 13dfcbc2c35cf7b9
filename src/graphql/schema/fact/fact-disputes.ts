/**
 * Fact.disputedAt: that users say that a fact is wrong, for all who are shown it. What they say, and who, is the
 * question's, for admins. Prompts say nothing of it: one user's word changes no other's turns before an admin decides.
 */
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { loadAt } from '../paging/load-at.ts'
import { FactType } from './fact.ts'

builder.prismaObjectField(FactType, 'disputedAt', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'Since when a user says that it is wrong (disputeFact), until an admin settles that: it stays in use meanwhile. ' +
      'Null: none says so.',
    resolve: async ({ id }, _args, context, info) =>
      (await loadAt({ context, info }, id, (ids) => disputesOf(context, ids))) ?? null,
  }),
)

/** Of each fact, when the oldest dispute that is open began; one without any is left out. */
async function disputesOf(
  { database }: Pick<GraphQLContext, 'database'>,
  factIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await database.query<{ id: string; at: Date }>(DISPUTES, [factIds])
  return new Map(rows.map(({ id, at }) => [id, at]))
}

const DISPUTES = {
  name: 'facts.disputes',
  text: `SELECT about.id, min(q.created_at) AS at FROM questions q CROSS JOIN LATERAL unnest(q.fact_ids) AS about (id)
    WHERE q.status = 'OPEN' AND q.source = 'DISPUTE' AND about.id = ANY ($1::text[]) GROUP BY about.id`,
}
