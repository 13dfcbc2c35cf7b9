/** Which of these ids are of things that exist, and in which session they are. */
import { isStorable } from '../platform/well-formed.ts'
import type { Database } from '../store/database.ts'

const TABLES = ['messages', 'turns', 'plans', 'tasks', 'learnings', 'deliveries', 'facts', 'questions']

const FIND = {
  name: 'audit.sessions-of',
  text: `SELECT i.id, x.session_id AS "sessionId" FROM unnest($1::text[]) AS i (id), LATERAL (
      SELECT s.id AS session_id FROM sessions s WHERE s.id = i.id
      ${TABLES.map((table) => `UNION ALL SELECT t.session_id FROM ${table} t WHERE t.id = i.id`).join('\n      ')}) x`,
}

/** Id → session, or null for what is in none; absent: there is no such thing. */
export async function findSessionsOf(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await database.query<{ id: string; sessionId: string | null }>(FIND, [ids.filter(isStorable)])
  return new Map(rows.map(({ id, sessionId }) => [id, sessionId]))
}
