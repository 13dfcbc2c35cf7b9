/** The turns that relied on facts, as rows, of the sessions that the viewer may see. */
import { seesAllSessions } from '../../../config/access/session-access.ts'
import type { GraphQLContext } from '../../context.ts'
import type { ChildKey } from '../paging/load-nested-pages.ts'
import type { PageRequest } from '../paging/page-request.ts'
import { seenSessions } from '../session/session-visibility.ts'

type Context = Pick<GraphQLContext, 'viewer' | 'grantedSessionId' | 'database'>
/** Whose uses are counted. */
export type UseContext = Omit<Context, 'database'>
type Bind = (value: unknown) => string

/** Counting ends here. */
export const MAX_USES = 10_000

/** Of each fact up to `request.size + 1` turns, newest first: their ids sort by the time of their message. */
export function readUsePages(
  context: Context,
  request: PageRequest<'factTurns1'>,
  factIds: readonly string[],
): Promise<ChildKey[]> {
  const values: unknown[] = [factIds, request.size + 1]
  const bind = binderOf(values)
  const after = request.after === null ? '' : `AND u.turn_id < ${bind(request.after[0])}::text`
  const text = `SELECT parent.id AS parent_id, child.id
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT u.turn_id AS id FROM fact_uses u WHERE u.fact_id = parent.id ${after} ${seenSql(context, bind)}
      ORDER BY u.turn_id DESC LIMIT $2) child
    ORDER BY child.id DESC`
  return context.database.query<ChildKey>({ name: '', text }, values)
}

/** Of each fact; one without any is left out. */
export async function countUses(context: Context, factIds: readonly string[]): Promise<Map<string, number>> {
  const values: unknown[] = [factIds, MAX_USES]
  const text = `SELECT parent.id, counted.count
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT count(*)::int AS count FROM (
        SELECT FROM fact_uses u WHERE u.fact_id = parent.id ${seenSql(context, binderOf(values))} LIMIT $2) uses) counted`
  const rows = await context.database.query<{ id: string; count: number }>({ name: '', text }, values)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** A SELECT of all facts that turns relied on, with how many. */
export function usesSql(context: UseContext, bind: Bind): string {
  return `SELECT u.fact_id, count(*)::int AS uses FROM fact_uses u WHERE true ${seenSql(context, bind)} GROUP BY u.fact_id`
}

function binderOf(values: unknown[]): Bind {
  return (value) => `$${values.push(value)}`
}

/** A condition on uses `u` that begins with AND, or nothing: the rule of ../session/session-visibility.ts. */
function seenSql({ viewer, grantedSessionId }: UseContext, bind: Bind): string {
  if (grantedSessionId !== null && !seesAllSessions(viewer)) return `AND u.session_id = ${bind(grantedSessionId)}::text`
  const { prefix, participant } = seenSessions(viewer)
  const inNamespace = prefix === null ? '' : `AND starts_with(u.session_id, ${bind(prefix)}::text)`
  if (participant === null) return inNamespace
  return `${inNamespace} AND EXISTS (SELECT FROM participants p
        WHERE p.session_id = u.session_id AND p.user_name = ${bind(participant)}::text)`
}
