/**
 * Which facts a viewer is shown: admins all, users those of their reach, connectors those that a session which they see
 * has used or brought forth, but none of a single user. What is out of use users are shown where it was used. One
 * execution can serve many participants of a session (a log view): then only what each of them may be shown.
 */
import type { GraphQLResolveInfo } from 'graphql'
import { seesAllSessions } from '../../../config/access/session-access.ts'
import type { Config } from '../../../config/config.ts'
import type { Viewer } from '../../../core/identity.ts'
import { USER_MARK } from '../../../core/session/session-id.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Database } from '../../../store/database.ts'
import { seenSessions } from '../session/session-visibility.ts'
import { loadAt } from '../paging/load-at.ts'
import { matchable } from '../values/matchable.ts'

interface Context {
  readonly viewer: Viewer
  readonly grantedSessionId: string | null
  readonly config: { current(): Config }
}

type Bind = (value: unknown) => string

/** A condition on facts `f`; null: all. */
export function shownFactsSql(context: Context, bind: Bind): string | null {
  const { viewer, grantedSessionId, config } = context
  if (viewer.role === 'ADMIN') return null
  const admins = (): string => bind(adminsOf(config.current()))
  if (grantedSessionId !== null && !seesAllSessions(viewer)) return shownInSessionSql(bind(grantedSessionId), admins())
  return viewer.user === null
    ? shownToConnectorSql(bind(seenSessions(viewer).prefix))
    : shownToUserSql(bind(viewer.user.name), admins())
}

/** Those of `ids`. */
export async function factsShown(
  context: Context & { readonly database: Database },
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const values: unknown[] = [ids]
  const condition = shownFactsSql(context, (value) => `$${values.push(value)}`)
  if (condition === null || ids.length === 0) return new Set(ids)
  const text = `SELECT f.id FROM facts f WHERE f.id = ANY ($1::text[]) AND (${condition})`
  const rows = await context.database.query<{ id: string }>({ name: '', text }, values)
  return new Set(rows.map(({ id }) => id))
}

/** The fact, or null. Those at one place of a document are looked up together. */
export async function ifShown<Fact extends { readonly id: string }>(
  fact: Fact | null,
  place: { readonly context: Context & { readonly database: Database }; readonly info: GraphQLResolveInfo },
): Promise<Fact | null> {
  if (fact === null || place.context.viewer.role === 'ADMIN') return fact
  const isShown = await loadAt(place, fact.id, async (ids) => {
    const shown = await factsShown(place.context, ids)
    return new Map(ids.map((id) => [id, shown.has(id)]))
  })
  return isShown === true ? fact : null
}

/** The condition for one fact. */
export async function visibleFact(
  context: Context & { readonly database: Database },
  id: string,
): Promise<Prisma.FactWhereInput> {
  return { id: { in: [...(await factsShown(context, [matchable(id)]))] } }
}

/** As sessions.opened_by names them. */
function adminsOf({ users }: Config): string[] {
  return [...users.values()].flatMap(({ name, role }) => (role === 'ADMIN' ? [`${USER_MARK}${name}`] : []))
}

/** Of session `s`, as in reach-of-turn.ts: a project's label counts where it is not the word of a user of role USER. */
function labelledSql(admins: string): string {
  return `s.metadata->'project' = to_jsonb(f.scope_of)
        AND (s.opened_by IS NULL OR NOT starts_with(s.opened_by, '${USER_MARK}') OR s.opened_by = ANY (${admins}::text[]))`
}

function shownToUserSql(user: string, admins: string): string {
  const theirs = `EXISTS (SELECT FROM participants p WHERE p.session_id = o.session_id AND p.user_name = ${user}::text)`
  return `(f.invalidated_at IS NULL OR EXISTS (SELECT FROM turn_facts o WHERE o.fact_ids @> ARRAY[f.id] AND ${theirs})
    OR EXISTS (SELECT FROM learnings o WHERE o.fact_id = f.id AND ${theirs}))
    AND (f.scope = 'GLOBAL' OR (f.scope = 'USER' AND f.scope_of = ${user})
    OR (f.scope = 'SESSION' AND EXISTS (SELECT FROM participants p WHERE p.session_id = f.scope_of AND p.user_name = ${user}))
    OR (f.scope = 'PROJECT' AND EXISTS (SELECT FROM participants p JOIN sessions s ON s.id = p.session_id
      WHERE p.user_name = ${user} AND ${labelledSql(admins)})))`
}

function shownInSessionSql(session: string, admins: string): string {
  const others = `SELECT FROM participants p WHERE p.session_id = ${session}::text AND p.user_name`
  return `f.scope = 'GLOBAL' OR (f.scope = 'SESSION' AND f.scope_of = ${session}::text)
    OR (f.scope = 'PROJECT' AND EXISTS (SELECT FROM sessions s WHERE s.id = ${session} AND ${labelledSql(admins)}))
    OR (f.scope = 'USER' AND EXISTS (${others} = f.scope_of) AND NOT EXISTS (${others} <> f.scope_of))`
}

function shownToConnectorSql(prefix: string): string {
  const seen = `(${prefix}::text IS NULL OR starts_with(o.session_id, ${prefix}))`
  return `f.scope <> 'USER' AND (EXISTS (SELECT FROM turn_facts o WHERE o.fact_ids @> ARRAY[f.id] AND ${seen})
    OR EXISTS (SELECT FROM learnings o WHERE o.fact_id = f.id AND ${seen}))`
}
