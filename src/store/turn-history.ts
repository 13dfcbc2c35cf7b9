/** What a turn reads: how far it came before (after a takeover), and what was said in the session before it. */
import type { MessageRole, ReviewVerdict, TaskStatus, TaskType } from '../core/status.ts'
import type { Database } from './database.ts'

export interface StoredTask {
  readonly id: string
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly expect: string | null
  readonly status: TaskStatus
  readonly output: string | null
  readonly stderr: string | null
  readonly truncated: boolean
  readonly exitCode: number | null
  readonly reviewVerdict: ReviewVerdict | null
  readonly reviewReason: string | null
}

export interface StoredPlan {
  readonly id: string
  readonly attempt: number
  readonly goal: string
  readonly tasks: readonly StoredTask[]
}

/** The plans of a turn with their tasks, first attempt first. */
export async function loadPlans(database: Database, turnId: string): Promise<StoredPlan[]> {
  return database.query<StoredPlan>(LOAD_PLANS, [turnId])
}

const LOAD_PLANS = {
  name: 'turn.plans',
  text: `SELECT p.id, p.attempt, p.goal, coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'index', t.index, 'type', t.type,
      'detail', t.detail, 'expect', t.expect, 'status', t.status, 'output', t.output, 'stderr', t.stderr,
      'truncated', t.truncated, 'exitCode', t.exit_code, 'reviewVerdict', t.review_verdict, 'reviewReason', t.review_reason)
      ORDER BY t.index) FILTER (WHERE t.id IS NOT NULL), '[]') AS tasks
    FROM plans p LEFT JOIN tasks t ON t.plan_id = p.id WHERE p.turn_id = $1 GROUP BY p.id ORDER BY p.attempt`,
}

/** What a task printed before its process died, as far as its events tell. */
export async function loadPartialOutput(
  database: Database,
  task: { readonly sessionId: string; readonly taskId: string; readonly afterSeq: number },
): Promise<{ stdout: string; stderr: string }> {
  const rows = await database.query<{ stream: string; text: string }>(PARTIAL_OUTPUT, [
    task.sessionId,
    task.afterSeq,
    task.taskId,
  ])
  return {
    stdout: rows.find((row) => row.stream === 'STDOUT')?.text ?? '',
    stderr: rows.find((row) => row.stream === 'STDERR')?.text ?? '',
  }
}

const PARTIAL_OUTPUT = {
  name: 'turn.partial-output',
  text: `SELECT data->>'stream' AS stream, string_agg(data->>'text', '' ORDER BY seq) AS text FROM events
    WHERE session_id = $1 AND seq > $2 AND type = 'TaskOutput' AND data->>'taskId' = $3 GROUP BY 1`,
}

export interface SaidBefore {
  /** Trusted messages before the turn's own, oldest first. */
  readonly messages: readonly { readonly user: string | null; readonly role: MessageRole; readonly content: string }[]
  /** What the agent said, oldest first. */
  readonly outputs: readonly string[]
}

/** How many of the agent's latest outputs the planner sees. Bounded, so that a turn costs the same in an old session. */
const RECENT_OUTPUTS = 10
/** Longer texts are cut: the planner needs what was said, not all of it. */
const RECENT_TEXT_CHARS = 4000

/**
 * A SaidBefore as an SQL expression, for the statement that begins the turn: the `limit` last trusted messages before `seq`, and
 * the agent's last outputs in other turns than `turnId`. The parameters are expressions.
 */
export function saidBeforeSql(of: { sessionId: string; turnId: string; seq: string; limit: string }): string {
  return `jsonb_build_object(
    'messages', (SELECT coalesce(jsonb_agg(jsonb_build_object('user', m.user_name, 'role', m.role, 'content', left(m.content, ${RECENT_TEXT_CHARS})) ORDER BY m.seq), '[]')
      FROM (SELECT * FROM messages
        WHERE session_id = ${of.sessionId} AND seq < ${of.seq} AND trusted AND status NOT IN ('QUEUED', 'CANCELLED')
        ORDER BY seq DESC LIMIT ${of.limit}) m),
    'outputs', (SELECT coalesce(jsonb_agg(left(t.output, ${RECENT_TEXT_CHARS}) ORDER BY t.id), '[]')
      FROM (SELECT * FROM tasks
        WHERE session_id = ${of.sessionId} AND type = 'MSG' AND status = 'DONE' AND turn_id <> ${of.turnId}
        ORDER BY id DESC LIMIT ${RECENT_OUTPUTS}) t))`
}
