/**
 * The fragment of a turn's commit (../turn/turn-commit.sql.ts) that makes a job of what the curator has to judge of its
 * session. What is learned is judged at the turn's end; the job sees that it is judged soon, too, where the curator
 * then gives no answer, and where the turn is cancelled, waits or dies.
 */
import type { LearningEntry, TurnWrite } from '../../core/turn-write.ts'
import { concat, sql, when, type Sql } from '../sql.ts'
import { ANSWERS, FENCE, fenced, JUDGED, MADE, type Fenced } from '../turn/fenced.ts'
import { DUE_ALREADY } from './curation-jobs.ts'
import { IS_ASKED } from './knowledge-parts.sql.ts'

const LATER = sql`SELECT interval '1 minute' AS pause`

/** Of answers that count, which the statement itself finds out. */
const ANSWERED = sql`SELECT interval '1 minute' AS pause FROM ${ANSWERS} q
    WHERE q.learning->'entry'->>'status' = 'PENDING' AND NOT (q.learning->'entry'->>'held')::boolean`

/** What is to be judged anew does not wait for another turn. */
const JUDGED_ANEW = sql`SELECT CASE WHEN c."isRetry" THEN interval '1 minute' ELSE interval '0' END AS pause
    FROM ${JUDGED} c WHERE c."isRetry" OR (jsonb_typeof(c.fact) = 'object'
      AND NOT EXISTS (SELECT FROM ${MADE} m WHERE m.id = c.fact->>'id')) OR NOT (${IS_ASKED})`

/** Null: nothing in this write can be due. One insert: two of one statement could not write the same row. */
export function dueCurationPart(write: Pick<TurnWrite, 'learnings' | 'answers' | 'curations' | 'curationDue'>) {
  const { learnings = [], answers = [], curations = [], curationDue = false } = write
  const isDue = curationDue || learnings.some(({ entry }) => waitsForCurator(entry))
  const isAnswered = answers.some(({ learning }) => learning !== null && waitsForCurator(learning.entry))
  const due = [
    ...(isDue ? [LATER] : []),
    ...(isAnswered ? [ANSWERED] : []),
    ...(curations.length > 0 ? [JUDGED_ANEW] : []),
  ]
  return due.length === 0 ? null : insertJob(due)
}

function waitsForCurator({ status, held }: LearningEntry): boolean {
  return status === 'PENDING' && !held
}

function insertJob(due: readonly Sql[]): Fenced {
  const all = concat(due.map((one, index) => sql`${when(index > 0, sql` UNION ALL `)}${one}`))
  return fenced`
    INSERT INTO curation_jobs (session_id, ready_at)
    SELECT $1, now() + min(d.pause) FROM ${FENCE}, (${all}) d HAVING count(*) > 0
    ${DUE_ALREADY}`
}
