/**
 * Everything that stands under one user's name becomes another user's: what they take part in and opened, their
 * messages, turns (running ones too, which write under the name of their row), approvals, delegated tasks, schedules,
 * files and what was learned from them. The audit, and what facts were changed by whom, keep the old name.
 *
 * What must hold: a column that names users stands in `MOVES` or, with the reason, in `KEPT`; a test reads the
 * catalogue for others.
 */
import { STATEMENT_TIMEOUT_MS, type Queryable } from '../database.ts'

/** `$1` → `$2`, by "table.column". */
export const MOVES: Readonly<Record<string, string>> = {
  'schedules.user_name': 'UPDATE schedules SET user_name = $2, version = version + 1 WHERE user_name = $1',
  'sessions.opened_by': `UPDATE sessions SET opened_by = '@' || $2 WHERE opened_by = '@' || $1`,
  'opened_sessions.opener': `UPDATE opened_sessions SET opener = '@' || $2 WHERE opener = '@' || $1`,
  'sessions.instructions_by': 'UPDATE sessions SET instructions_by = $2 WHERE instructions_by = $1',
  'sessions.turn_user': 'UPDATE sessions SET turn_user = $2 WHERE turn_user = $1',
  'turns.user_name': 'UPDATE turns SET user_name = $2 WHERE user_name = $1',
  // The name of a stranger on a platform may be the same word.
  'messages.user_name': 'UPDATE messages SET user_name = $2 WHERE user_name = $1 AND trusted',
  'approvals.user_name': 'UPDATE approvals SET user_name = $2 WHERE user_name = $1',
  'approvals.decided_by': 'UPDATE approvals SET decided_by = $2 WHERE decided_by = $1',
  'delegations.user_name': 'UPDATE delegations SET user_name = $2 WHERE user_name = $1',
  'learnings.user_name': 'UPDATE learnings SET user_name = $2 WHERE user_name = $1',
  'learnings.scope_of': `UPDATE learnings SET scope_of = $2 WHERE scope = 'USER' AND scope_of = $1`,
  // What the other user knows already goes into that: a text is a fact once in a scope.
  'facts.scope_of': `WITH moved AS (
      UPDATE facts f SET scope_of = $2, version = f.version + 1, updated_at = now(), replaced_by_id = coalesce(t.id, f.replaced_by_id),
        invalidated_at = CASE WHEN t.id IS NULL THEN f.invalidated_at ELSE now() END
      FROM facts o LEFT JOIN facts t ON t.norm = o.norm AND t.scope = 'USER' AND t.scope_of = $2 AND t.invalidated_at IS NULL
        AND o.invalidated_at IS NULL
      WHERE f.id = o.id AND f.scope = 'USER' AND f.scope_of = $1 RETURNING f.id, f.version, f.content, f.norm, t.id AS twin)
    INSERT INTO fact_versions (fact_id, version, content, norm, change, changed_by, reason, at)
    SELECT id, version, content, norm, CASE WHEN twin IS NULL THEN 'SCOPED' ELSE 'MERGED' END::fact_change, 'server',
      'from USER ' || $1 || ' to USER ' || $2, now() FROM moved`,
  'facts.taught_by': 'UPDATE facts SET taught_by = array_replace(taught_by, $1, $2) WHERE taught_by @> ARRAY[$1::text]',
  // Else an undo would bring the old name back.
  'fact_versions.before': `UPDATE fact_versions SET before = jsonb_set(before, '{scopeOf}', to_jsonb($2::text))
    WHERE before->>'scope' = 'USER' AND before->>'scopeOf' = $1`,
  'learnings.decided_by': 'UPDATE learnings SET decided_by = $2 WHERE decided_by = $1',
  'facts.reviewed_by': 'UPDATE facts SET reviewed_by = $2 WHERE reviewed_by = $1',
  'fact_proposals.decided_by': 'UPDATE fact_proposals SET decided_by = $2 WHERE decided_by = $1',
  'questions.resolved_by': 'UPDATE questions SET resolved_by = $2 WHERE resolved_by = $1',
  'published_files.user_name': 'UPDATE published_files SET user_name = $2 WHERE user_name = $1',
  'publishing_files.user_name': 'UPDATE publishing_files SET user_name = $2 WHERE user_name = $1',
  'uploaded_files.user_name': 'UPDATE uploaded_files SET user_name = $2 WHERE user_name = $1',
}

/**
 * Moved by statements of their own (here and in write-people.ts), or left as they are because they tell of the past.
 */
export const KEPT: readonly string[] = [
  'participants.user_name',
  'tokens.user_name',
  'user_aliases.user_name',
  'link_codes.user_name',
  'fact_versions.changed_by',
  'tokens.created_by',
  'users.created_by',
]

/** All that the moves change, in the order of their ids, and before any fact, as whatever else locks both. */
const LOCK = `SELECT id FROM sessions WHERE id IN (
    SELECT session_id FROM participants WHERE user_name = $1 UNION ALL SELECT id FROM sessions WHERE opened_by = '@' || $1
    UNION ALL SELECT id FROM sessions WHERE $1 IN (instructions_by, turn_user))
  ORDER BY id FOR UPDATE`
/** With those of the other user, in which they may go. */
const LOCK_FACTS = `SELECT count(*) FROM (SELECT id FROM facts WHERE id IN (
    SELECT id FROM facts WHERE scope = 'USER' AND scope_of IN ($1, $2)
    UNION ALL SELECT id FROM facts WHERE taught_by @> ARRAY[$1::text]
    UNION ALL SELECT id FROM facts WHERE reviewed_by = $1)
  ORDER BY id FOR NO KEY UPDATE) locked`
const JOIN = `INSERT INTO participants (session_id, user_name, joined_at)
  SELECT session_id, $2, joined_at FROM participants WHERE user_name = $1 ON CONFLICT DO NOTHING`
const LEAVE = 'DELETE FROM participants WHERE user_name = $1 RETURNING session_id AS id'
const RECORD_UPDATE = `WITH changed AS (UPDATE sessions SET last_seq = last_seq + 1 WHERE id = ANY ($1::text[]) RETURNING id, last_seq)
  INSERT INTO events (session_id, seq, at, turn_id, type, data)
  SELECT id, last_seq, $2, NULL, 'SessionUpdated', '{}' FROM changed RETURNING session_id AS "sessionId", seq`

/** The last event of a session in which names changed. */
export interface ChangedSession {
  readonly sessionId: string
  readonly seq: number
}

/** In the transaction that makes `from` another user. Repeatable: a second time there is nothing to move. */
export async function moveUser(
  transaction: Queryable,
  { from, into, at }: { readonly from: string; readonly into: string; readonly at: Date },
): Promise<readonly ChangedSession[]> {
  await run(transaction, ['lock', LOCK], [from])
  await run(transaction, ['join', JOIN], [from, into])
  const left = await run<{ id: string }>(transaction, ['leave', LEAVE], [from])
  await run(transaction, ['lock-facts', LOCK_FACTS], [from, into])
  for (const move of Object.entries(MOVES)) await run(transaction, move, [from, into])
  return run<ChangedSession>(transaction, ['tell', RECORD_UPDATE], [left.map(({ id }) => id), at])
}

function run<Row extends object>(
  transaction: Queryable,
  [name, text]: readonly [string, string],
  values: readonly unknown[],
): Promise<Row[]> {
  return transaction.query<Row>({ name: `people.move-${name}`, text, timeoutMs: STATEMENT_TIMEOUT_MS }, values)
}
