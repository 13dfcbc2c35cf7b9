/**
 * Which rows `[retention]` lets go, one SELECT for each kind: `$1` the ids of sessions, `$2` what must be older than
 * that. Found and counted by these, and removed by them (remove-aged.ts), so that a dry run counts what would go.
 *
 * What must hold: nothing of a turn that has not ended, or that something is still to be done for (an approval, a
 * delivery, a delegation, a plugin that waits for its end), is among them.
 */
import type { RetentionKind } from '../../config/schema/retention.ts'
import { REMOVED_OUTPUT } from '../../core/text/erased.ts'
import { STATEMENT_TIMEOUT_MS, type Database, type Statement } from '../database.ts'
import { hasWork } from '../intake/intake-access.ts'
import { literal, sql, type Sql } from '../sql.ts'

const OPEN = sql`('QUEUED', 'JOINED', 'RUNNING', 'AWAITING_APPROVAL')`
/** What was said, and how turns ended: conversations and forks are read from these. */
export const KEPT = sql`('MessageReceived', 'TextCompleted', 'TurnCompleted')`
/** Of an output. */
export const IS_THERE = sql`NOT IN ('', ${literal(REMOVED_OUTPUT)})`

const IDS = sql`ANY ($1::text[])`
const BEFORE = sql`$2::timestamptz`

/** With the columns `session_id` and, to name a row, `row` and `seq`. */
export const AGED_ROWS: Readonly<Record<RetentionKind, Sql>> = {
  turns: sql`SELECT t.session_id, t.id AS row, t.seq FROM turns t
    WHERE t.session_id = ${IDS} AND t.finished_at < ${BEFORE} AND t.status NOT IN ${OPEN} AND t.hooks_due = '{}'
      AND NOT EXISTS (SELECT 1 FROM turns j WHERE j.joined_into = t.id AND j.status IN ${OPEN})
      AND NOT EXISTS (SELECT 1 FROM delegations d WHERE (d.turn_id = t.id OR d.child_id = t.session_id) AND NOT d.closed)
      AND NOT EXISTS (SELECT 1 FROM tasks k JOIN deliveries d ON d.task_id = k.id
        WHERE k.turn_id = t.id AND d.status = 'PENDING')`,
  messages: sql`SELECT m.session_id, m.id AS row, m.seq FROM messages m
    WHERE m.session_id = ${IDS} AND m.created_at < ${BEFORE} AND m.status = 'STORED'
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.message_id = m.id)`,
  events: sql`SELECT e.session_id, NULL::text AS row, e.seq FROM events e
    WHERE e.session_id = ${IDS} AND e.at < ${BEFORE} AND e.type NOT IN ${KEPT}
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = e.turn_id AND t.status IN ${OPEN})`,
  outputs: sql`SELECT k.session_id, k.id AS row, t.seq FROM turns t JOIN tasks k ON k.turn_id = t.id
    WHERE t.session_id = ${IDS} AND t.finished_at < ${BEFORE} AND t.status NOT IN ${OPEN} AND k.type <> 'MSG'
      AND (k.output ${IS_THERE} OR k.stderr ${IS_THERE})`,
  deliveries: sql`SELECT d.session_id, d.id AS row, d.seq FROM deliveries d
    WHERE d.session_id = ${IDS} AND d.created_at < ${BEFORE} AND d.status IN ('DELIVERED', 'DEAD')`,
  // Whether there is a workspace only the disk knows: the caller checks.
  workspaces: sql`SELECT s.id AS session_id, NULL::text AS row, 0 AS seq FROM sessions s
    WHERE s.id = ${IDS} AND s.last_activity_at < ${BEFORE} AND NOT ${hasWork(sql`s`)}`,
}

/** The sessions among `ids` that have something of this kind from before. */
export async function findAged(
  database: Database,
  kind: RetentionKind,
  { ids, before }: { readonly ids: readonly string[]; readonly before: Date },
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(statement('find', kind), [ids, before])
  return rows.map(({ id }) => id)
}

/** How many rows of this kind these sessions have from before. */
export async function countAged(
  database: Database,
  kind: RetentionKind,
  { ids, before }: { readonly ids: readonly string[]; readonly before: Date },
): Promise<number> {
  const [row] = await database.query<{ count: number }>(statement('count', kind), [ids, before])
  return row?.count ?? 0
}

function statement(what: 'find' | 'count', kind: RetentionKind): Statement {
  const columns = what === 'find' ? 'DISTINCT a.session_id AS id' : 'count(*)::int AS count'
  const text = `SELECT ${columns} FROM (${AGED_ROWS[kind]}) a`
  return { name: `retention.${what}-${kind}`, text, timeoutMs: STATEMENT_TIMEOUT_MS }
}

const SESSIONS: Statement = {
  name: 'retention.sessions',
  text: 'SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT $2',
}

/** The ids of all sessions, some at a time. */
export async function* pagesOfSessions(database: Database, size: number): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const rows = await database.query<{ id: string }>(SESSIONS, [after, size])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ id }) => id)
    after = last.id
  }
}
