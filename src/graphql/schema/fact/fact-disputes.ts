/**
 * Fact.disputedAt: that users say that a fact is wrong, for all who are shown it. What they say, and who, is the
 * question's, for admins. Prompts say nothing of it: one user's word changes no other's turns before an admin decides.
 */
import type { GraphQLResolveInfo } from 'graphql'
import { disputeNorm } from '../../../store/knowledge/knowledge-question.ts'
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
      (await loadAt({ context, info }, id, (ids) => disputesOf(context, ids)))?.at ?? null,
  }),
)

interface Disputes {
  /** When the oldest began. */
  readonly at: Date
  readonly norms: readonly string[]
}

/** Whether the viewer may say that the fact is wrong: a user, who has not said so already. */
export async function mayDispute(context: GraphQLContext, info: GraphQLResolveInfo, factId: string): Promise<boolean> {
  const { user } = context.viewer
  if (user === null) return false
  const disputes = await loadAt({ context, info }, factId, (ids) => disputesOf(context, ids))
  return disputes?.norms.includes(disputeNorm(user.name, factId)) !== true
}

/** Of each fact, the disputes that are open; one without any is left out. */
async function disputesOf(
  { database }: Pick<GraphQLContext, 'database'>,
  factIds: readonly string[],
): Promise<Map<string, Disputes>> {
  const rows = await database.query<Disputes & { id: string }>(DISPUTES, [factIds])
  return new Map(rows.map((row) => [row.id, row]))
}

const DISPUTES = {
  name: 'facts.disputes',
  text: `SELECT about.id, min(q.created_at) AS at, array_agg(q.norm) AS norms
    FROM questions q CROSS JOIN LATERAL unnest(q.fact_ids) AS about (id)
    WHERE q.status = 'OPEN' AND q.source = 'DISPUTE' AND about.id = ANY ($1::text[]) GROUP BY about.id`,
}
