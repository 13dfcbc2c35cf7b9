/**
 * Which sessions may have something to remove: each has the time from which it may. That is when the oldest of what is
 * left becomes old enough, and at the latest the shortest of the times after it was checked, as all that comes later
 * is younger. It holds for the rules under which it was found out; when they change, all sessions are due again.
 *
 * What comes in with a time of its own that is older (a message that a connector has kept) waits for that check.
 */
import { RETENTION_KINDS, type Retention, type RetentionKind } from '../../config/schema/retention.ts'
import { STATEMENT_TIMEOUT_MS, type Database, type Statement } from '../database.ts'
import { hasWork } from '../intake/intake-access.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { concat, identifier, sql, type Sql } from '../sql.ts'
import { IS_THERE, KEPT } from './aged-rows.ts'

/** One of which things stand in the way of removing is checked again after that. */
const AGAIN_MINUTES = 30

/** The rules as the rows have them. */
export function rulesOf(retention: Retention): string {
  return RETENTION_KINDS.map((kind) => `${kind} ${retention[kind]}`).join(', ')
}

// Three ranges of one index, in its order: an OR, or any order, would read the whole table.
const DUE: Statement = {
  name: 'retention.due',
  text: `(SELECT id FROM sessions WHERE retention_rules = $1 AND retention_due_at <= $2
        ORDER BY retention_due_at LIMIT $3)
    UNION ALL (SELECT id FROM sessions WHERE retention_rules < $1 ORDER BY retention_rules LIMIT $3)
    UNION ALL (SELECT id FROM sessions WHERE retention_rules > $1 ORDER BY retention_rules LIMIT $3) LIMIT $3`,
  timeoutMs: STATEMENT_TIMEOUT_MS,
}

/** Some that are due: to be checked, and noted so by `planNextCheck` before more are asked for. */
export async function dueSessions(
  database: Database,
  { rules, at, limit }: { readonly rules: string; readonly at: Date; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(DUE, [rules, at, limit])
  return rows.map(({ id }) => id)
}

/** Since when the oldest of what is left of a session `s` is there; turns that have not ended are no part of it. */
const OLDEST: Readonly<Record<RetentionKind, Sql>> = {
  turns: sql`(SELECT min(t.finished_at) FROM turns t WHERE t.session_id = s.id)`,
  messages: sql`(SELECT min(m.created_at) FROM messages m WHERE m.session_id = s.id AND m.status = 'STORED'
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.message_id = m.id))`,
  events: sql`(SELECT e.at FROM events e WHERE e.session_id = s.id AND e.type NOT IN ${KEPT} ORDER BY e.seq LIMIT 1)`,
  outputs: sql`(SELECT min(t.finished_at) FROM turns t JOIN tasks k ON k.turn_id = t.id
      WHERE t.session_id = s.id AND k.type <> 'MSG' AND (k.output ${IS_THERE} OR k.stderr ${IS_THERE}))`,
  deliveries: sql`(SELECT min(d.created_at) FROM deliveries d WHERE d.session_id = s.id)`,
  // One that is old enough and at rest has been seen to.
  workspaces: sql`CASE WHEN s.last_activity_at >= input.at - input.workspaces * interval '1 day' OR ${hasWork(sql`s`)}
      THEN s.last_activity_at END`,
}

/** For each kind that goes at all, when the next of it is old enough. */
const NEXT = concat(
  RETENTION_KINDS.map((kind) => {
    const days = sql`input.${identifier(kind)}`
    return sql`,
      CASE WHEN ${days} > 0 THEN ${OLDEST[kind]} + ${days} * interval '1 day' END`
  }),
)

const PLAN = intakeStatement(
  { name: 'retention.plan', plansOnce: false, timeoutMs: STATEMENT_TIMEOUT_MS },
  {
    ids: 'text[]',
    rules: 'text',
    at: 'timestamptz',
    shortest: 'int',
    events: 'int',
    outputs: 'int',
    turns: 'int',
    messages: 'int',
    deliveries: 'int',
    workspaces: 'int',
  } satisfies Record<RetentionKind | 'ids' | 'rules' | 'at' | 'shortest', string>,
  sql`next AS (
    SELECT s.id, greatest(input.at + interval '${AGAIN_MINUTES} minutes',
      least(input.at + input.shortest * interval '1 day'${NEXT})) AS due
    FROM input JOIN sessions s ON s.id = ANY (input.ids))
  UPDATE sessions s SET retention_rules = input.rules, retention_due_at = next.due
  FROM next, input WHERE s.id = next.id`,
)

/** `at`: when they were checked. */
export async function planNextCheck(
  database: Database,
  { ids, at, retention }: { readonly ids: readonly string[]; readonly at: Date; readonly retention: Retention },
): Promise<void> {
  const shortest = Math.min(...RETENTION_KINDS.map((kind) => retention[kind]).filter((days) => days > 0))
  await PLAN(database, { ids, rules: rulesOf(retention), at, shortest, ...retention })
}
