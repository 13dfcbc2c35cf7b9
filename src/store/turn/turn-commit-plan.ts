/**
 * The fragments of a turn's commit that write plans and tasks. Each hangs on `w_fence` (src/store/turn/turn-commit.ts):
 * without the lease none of them writes.
 */
import type { NewPlan, NewTask, TaskPatch } from '../../core/turn-write.ts'
import { FENCE, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'

/** Inserts plans. An id, or an attempt of the turn, that is there already fails the whole commit. */
export function plansSql(plans: readonly NewPlan[], bind: Bind): Fenced {
  return fenced`INSERT INTO plans (id, session_id, turn_id, attempt, goal, replan_reason, rights, secret_names, created_at)
    SELECT p.id, $1, $4, p.attempt, p.goal, p."replanReason", p.rights, p."secretNames", p."createdAt"
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(plans))}::jsonb)
      AS p (id text, attempt int, goal text, "replanReason" text, rights text, "secretNames" text[], "createdAt" timestamptz)`
}

/** Each number of ids is a statement of its own, which is prepared. */
const MAX_NAMED_IDS = 4

/** The columns of a TaskPatch, and their types, as jsonb_to_recordset wants them. */
const PATCH_COLUMNS = `status task_status, output text, stderr text, truncated boolean, "exitCode" int, final boolean, suppressed boolean,
  "reviewVerdict" review_verdict, "reviewReason" text, "startedAt" timestamptz, "finishedAt" timestamptz`

/** Inserts tasks with what is known of them so far; their plans are there, or come with the same commit. */
export function tasksSql(tasks: readonly NewTask[], bind: Bind): Fenced {
  const rows = tasks.map(({ patch, ...task }) => ({ ...task, ...patch }))
  return fenced`INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, skill, args, expect, status, output, stderr,
      truncated, exit_code, final, suppressed, review_verdict, review_reason, started_at, finished_at)
    SELECT p.id, $1, $4, p."planId", p.index, p.type, p.detail, p.skill, p.args, p.expect, coalesce(p.status, 'PENDING'),
      p.output, p.stderr, coalesce(p.truncated, false), p."exitCode", coalesce(p.final, false),
      coalesce(p.suppressed, false), p."reviewVerdict",
      p."reviewReason", p."startedAt", p."finishedAt"
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb)
      AS p (id text, "planId" text, index int, type task_type, detail text, skill text, args jsonb, expect text, ${PATCH_COLUMNS})`
}

/**
 * Updates tasks by id. A field that is absent or null leaves its column as it is, so nothing can be set back to null.
 */
export function patchesSql(patches: ReadonlyMap<string, TaskPatch>, bind: Bind): Fenced {
  const rows = [...patches].map(([id, patch]) => ({ id, ...patch }))
  return fenced`UPDATE tasks x SET status = coalesce(p.status, x.status), output = coalesce(p.output, x.output),
      stderr = coalesce(p.stderr, x.stderr), truncated = coalesce(p.truncated, x.truncated),
      exit_code = coalesce(p."exitCode", x.exit_code), final = coalesce(p.final, x.final), suppressed = coalesce(p.suppressed, x.suppressed),
      review_verdict = coalesce(p."reviewVerdict", x.review_verdict), review_reason = coalesce(p."reviewReason", x.review_reason),
      started_at = coalesce(p."startedAt", x.started_at), finished_at = coalesce(p."finishedAt", x.finished_at)
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb) AS p (id text, ${PATCH_COLUMNS})
    WHERE x.id = p.id AND ${isOneOf('x.id', [...patches.keys()], bind)}`
}

/**
 * A few ids are named one by one. Of an array PostgreSQL takes ten for granted, for which it reads a small table whole;
 * and it keeps that plan while the table grows, until the next ANALYZE: after two thousand turns that had doubled the
 * time of a commit.
 */
function isOneOf(column: string, ids: readonly string[], bind: Bind): string {
  if (ids.length > MAX_NAMED_IDS) return `${column} = ANY(${bind(ids)}::text[])`
  return `${column} IN (${ids.map((id) => bind(id)).join(', ')})`
}

/** Only the turn's own part of the log is looked through: its events come after its message. */
export function deltasSql(taskIds: readonly string[], turnSeq: number, bind: Bind): Fenced {
  return fenced`DELETE FROM events x USING ${FENCE} WHERE x.session_id = $1 AND x.seq > ${bind(turnSeq)} AND x.type = 'TextDelta'
    AND x.data->>'taskId' = ANY(${bind(taskIds)}::text[])`
}
