/** What a turn reads: how far it came before (after a takeover), and what was said in the session before it. */
import type { JsonObject } from '../../core/tool/json.ts'
import type {
  ApprovalKind,
  ApprovalStatus,
  DelegationStatus,
  ReviewVerdict,
  TaskStatus,
  TaskType,
} from '../../core/status.ts'
import { NO_PLUGIN_WORK, type PluginSection, type PluginWork } from '../../core/tool/plugin-work.ts'
import type { Settings } from '../../config/config.ts'
import { RECENT_MESSAGES, RECENT_TEXT_CHARS, type HeldRows, type SaidRows } from '../../core/dialogue.ts'
import type { ProviderState } from '../../core/turn-write.ts'
import type { Database } from '../database.ts'
import { strangersSql, type StrangersMessage } from './strangers-messages.ts'
import { dueSql, type KnowledgeDue } from '../knowledge/knowledge-due.ts'
import { must } from '../../platform/must.ts'
import type { Reach } from '../../core/knowledge/fact-scope.ts'
import { isVouchedFor } from '../knowledge/vouched-facts.ts'
import { sql, type Sql } from '../sql.ts'

/** A task as it was last committed; what a turn that is taken over still has to do for it follows from this. */
export interface StoredTask {
  readonly id: string
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly skill: string | null
  readonly tool: string | null
  readonly args: JsonObject | null
  readonly expect: string | null
  /** Of a conversation: the model's answer that asked for it, from 1; null in a plan. */
  readonly round: number | null
  readonly callId: string | null
  readonly status: TaskStatus
  readonly output: string | null
  readonly stderr: string | null
  readonly truncated: boolean
  readonly exitCode: number | null
  readonly reviewVerdict: ReviewVerdict | null
  readonly reviewReason: string | null
  /** Of the approval that was asked for it, or for its plan. */
  readonly approval: StoredApproval | null
  /** What became of it in a session of its own. */
  readonly delegation: StoredDelegation | null
}

/** A delegated task as it was last committed; `answer` is judged in the turn that delegated. */
export interface StoredDelegation {
  readonly id: string
  readonly status: DelegationStatus
  readonly round: number
  readonly messageId: string
  readonly task: string
  readonly expect: string
  /** This round's, to be judged; null: it has none yet. */
  readonly answer: string | null
  readonly answered: boolean
  readonly failure: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

interface StoredApproval {
  readonly id: string
  readonly kind: ApprovalKind
  readonly status: ApprovalStatus
  readonly decidedBy: string | null
  readonly note: string | null
  readonly expiresAt: Date
  /** Of a call of a tool: what it covers; null: it was asked before this was recorded, or for something else. */
  readonly fingerprint: string | null
}

/** One attempt at a plan, with its tasks in their order. */
export interface StoredPlan {
  readonly id: string
  readonly attempt: number
  readonly goal: string
  /** Of the turn's user, when the plan was made; null: not known. */
  readonly rights: string | null
  readonly tasks: readonly StoredTask[]
}

/** The plans of a turn with their tasks, first attempt first. */
export async function loadPlans(database: Database, turnId: string): Promise<StoredPlan[]> {
  const plans = await database.query<StoredPlan>(LOAD_PLANS, [turnId])
  // Times in JSON are texts.
  return plans.map((plan) => ({ ...plan, tasks: plan.tasks.map(readTimes) }))
}

function readTimes(task: StoredTask): StoredTask {
  const { approval, delegation } = task
  return {
    ...task,
    approval: approval === null ? null : { ...approval, expiresAt: new Date(approval.expiresAt) },
    delegation:
      delegation === null
        ? null
        : {
            ...delegation,
            createdAt: new Date(delegation.createdAt),
            expiresAt: new Date(delegation.expiresAt),
          },
  }
}

const LOAD_PLANS = {
  name: 'turn.plans',
  text: `SELECT p.id, p.attempt, p.goal, p.rights, coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'index', t.index, 'type', t.type,
      'detail', t.detail, 'skill', t.skill, 'tool', t.tool, 'args', t.args, 'expect', t.expect, 'round', t.round, 'callId', t.call_id, 'status', t.status, 'output', t.output, 'stderr', t.stderr,
      'truncated', t.truncated, 'exitCode', t.exit_code, 'reviewVerdict', t.review_verdict, 'reviewReason', t.review_reason,
      'approval', CASE WHEN a.id IS NOT NULL THEN jsonb_build_object('id', a.id, 'kind', a.kind, 'status', a.status,
        'decidedBy', a.decided_by, 'note', a.note, 'expiresAt', a.expires_at, 'fingerprint', a.fingerprint) END,
      'delegation', CASE WHEN d.id IS NOT NULL THEN jsonb_build_object('id', d.id, 'status', d.status, 'round', d.round,
        'messageId', d.message_id, 'task', d.task, 'expect', d.expect, 'answer', d.answer, 'answered', d.answered,
        'failure', d.failure, 'createdAt', d.created_at, 'expiresAt', d.expires_at) END)
      ORDER BY t.index) FILTER (WHERE t.id IS NOT NULL), '[]') AS tasks
    FROM plans p LEFT JOIN tasks t ON t.plan_id = p.id LEFT JOIN approvals a ON a.task_id = t.id LEFT JOIN delegations d ON d.task_id = t.id
    WHERE p.turn_id = $1 GROUP BY p.id ORDER BY p.attempt`,
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

/** How often a task began to run, as far as its events tell. */
export async function countBeginnings(
  database: Database,
  task: { readonly sessionId: string; readonly taskId: string; readonly afterSeq: number },
): Promise<number> {
  const values = [task.sessionId, task.afterSeq, task.taskId]
  const [row] = await database.query<{ count: number }>(BEGINNINGS, values)
  return row?.count ?? 0
}

const BEGINNINGS = {
  name: 'turn.beginnings',
  text: `SELECT count(*)::int AS count FROM events WHERE session_id = $1 AND seq > $2 AND type = 'TaskUpdate'
    AND data->>'taskId' = $3 AND data->>'status' = 'RUNNING'`,
}

/** What was said in the session before the turn, cut to the limits below; the planner's context is made of it. */
export interface SaidBefore {
  /** Trusted messages before the turn's own that are in no summary, with what was answered. */
  readonly said: SaidRows
  readonly summary: string
  /** What the introspector noted; '' when there is nothing. */
  readonly workingMemory: string
  /** Open ones, of this session and of all, oldest first. */
  readonly questions: readonly { readonly id: string; readonly content: string }[]
  /** Messages of people who are not known, oldest first; for the paraphraser. */
  readonly strangers: readonly StrangersMessage[]
  /** A sender who is not in the configuration has written in the session, however long ago. */
  readonly hasStrangers: boolean
  /** The session's own, in place of the roles'; null: none. */
  readonly model: string | null
  readonly instructions: string | null
  /** Who wrote these; null: a connector, or there are none. */
  readonly instructionsBy: string | null
  /** Whether there is any fact to choose from. */
  readonly hasFacts: boolean
  /** Whether anybody has put a file into the session. */
  readonly hasFiles: boolean
  readonly due: KnowledgeDue
  /** What the provider of its model keeps of the conversation; null: nothing. */
  readonly providerState: ProviderState | null
  /** How often retention has removed something that the model may have been shown. */
  readonly removals: number
  /** `said` was held by this process already. */
  readonly isHeld: boolean
}

/** As a statement gives it: without what this process holds. */
export type SaidBeforeRow = Omit<SaidBefore, 'said' | 'isHeld'> & { readonly said: SaidRows | null }

/** `held`: what the statement was told that this process holds. */
export function withHeld(row: SaidBeforeRow, held: HeldRows | null): SaidBefore {
  const isHeld = row.said === null
  const said = row.said ?? must(held, 'a statement leaves out what is held, and nothing else').rows
  return { ...row, said, isHeld }
}

/** The parameters by which a statement is told what this process holds. */
export const HELD_INPUT = { held_seq: 'int', held_turn: 'text' } as const

/** Their values. */
export function heldInput(held: HeldRows | null): Record<keyof typeof HELD_INPUT, unknown> {
  return { held_seq: held?.seq ?? null, held_turn: held?.turnId ?? null }
}

/** The settings that bound it. */
export type SaidLimits = Pick<Settings, 'summarizeThreshold'>

/** The newest open questions that the planner sees: so many of the session, and so many of all. */
const OPEN_QUESTIONS = 10

/**
 * A SaidBefore as an SQL expression, for the statement that begins the turn `turnId` of the message `seq`. The
 * parameters are expressions. Each part walks an index from its newest end and stops at its limit. Of a session that
 * the statement itself opens there is no row to be seen, `s`: nothing was said in it.
 */
export function saidBeforeSql(of: Readonly<Record<'sessionId' | 'turnId' | 'seq' | keyof SaidLimits, Sql>>): Sql {
  const openQuestions = (where: Sql): Sql =>
    sql`(SELECT id, content FROM questions WHERE ${where} AND status = 'OPEN' ORDER BY id DESC LIMIT ${OPEN_QUESTIONS})`
  return sql`(SELECT jsonb_build_object(
    'summary', coalesce(s.summary, ''),
    'workingMemory', coalesce(s.working_memory, ''),
    'model', s.model, 'instructions', s.instructions, 'instructionsBy', s.instructions_by,
    'hasFacts', (SELECT id FROM facts WHERE invalidated_at IS NULL ORDER BY id DESC LIMIT 1) IS NOT NULL,
    'said', CASE WHEN ${isHeldSql(of)} THEN NULL ELSE ${saidSql(of)} END,
    'providerState', s.provider_state, 'removals', coalesce(s.removals, 0),
    'hasFiles', EXISTS (SELECT 1 FROM uploaded_files WHERE session_id = s.id),
    'due', ${dueSql({ seq: of.seq, threshold: of.summarizeThreshold })},
    'strangers', ${strangersSql(of.seq)},
    'hasStrangers', EXISTS (SELECT 1 FROM messages WHERE session_id = s.id AND NOT trusted),
    'questions', (SELECT coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'content', q.content) ORDER BY q.id), '[]')
      FROM (${openQuestions(sql`session_id = s.id`)} UNION ALL ${openQuestions(sql`session_id IS NULL AND source <> 'DISPUTE'`)}) q))
    FROM (SELECT ${of.sessionId} AS id) this LEFT JOIN sessions s ON s.id = this.id)`
}

/**
 * Nothing was said or changed in the session since the event `held_seq`, the last of a turn that is still there, but
 * for the turn's own message: whatever writes in a session draws a seq. A session that was deleted and opened anew may
 * have come to the same seq, and has another turn.
 */
function isHeldSql({ seq }: Readonly<Record<'seq', Sql>>): Sql {
  return sql`${seq} = input.held_seq + 1 AND s.last_seq <= ${seq}
      AND EXISTS (SELECT 1 FROM turns WHERE id = input.held_turn AND session_id = s.id)`
}

/**
 * A SaidRows as SQL. A message that an earlier turn took along may stand behind `seq`: it has its answer already. An
 * answer to what is in the summary is there too, even if its turn took along a message that is not.
 */
function saidSql({ seq, turnId }: Readonly<Record<'seq' | 'turnId', Sql>>): Sql {
  return sql`(WITH recent AS MATERIALIZED (
      SELECT m.seq, m.user_name, m.role, left(m.content, ${RECENT_TEXT_CHARS}) AS content, m.created_at, coalesce(u.joined_into, u.id) AS turn_id,
        row_number() OVER (ORDER BY m.seq DESC) AS place
      FROM ((SELECT * FROM messages
          WHERE session_id = s.id AND seq > s.summary_seq AND seq < ${seq} AND trusted AND status NOT IN ('QUEUED', 'CANCELLED')
          ORDER BY seq DESC LIMIT ${RECENT_MESSAGES + 1})
        UNION ALL (SELECT later.* FROM turns taken JOIN messages later ON later.id = taken.message_id
          WHERE taken.session_id = s.id AND taken.seq > ${seq} AND taken.joined_into <> ${turnId} LIMIT ${RECENT_MESSAGES})) m
        LEFT JOIN turns u ON u.message_id = m.id)
    SELECT jsonb_build_object(
      'hasMore', coalesce(max(place), 0) > ${RECENT_MESSAGES},
      'messages', coalesce(jsonb_agg(jsonb_build_object('user', user_name, 'role', role, 'content', content, 'at', created_at, 'turnId', turn_id)
        ORDER BY seq) FILTER (WHERE place <= ${RECENT_MESSAGES}), '[]'),
      'answers', (SELECT coalesce(jsonb_agg(jsonb_build_object('turnId', t.turn_id, 'text', left(t.output, ${RECENT_TEXT_CHARS}),
          'at', coalesce(t.finished_at, t.started_at, served.created_at)) ORDER BY t.id), '[]')
        FROM (SELECT DISTINCT turn_id FROM recent WHERE place <= ${RECENT_MESSAGES}) shown
          JOIN turns served ON served.id = shown.turn_id AND served.seq > s.summary_seq
          JOIN tasks t ON t.turn_id = served.id AND t.type = 'MSG' AND t.status = 'DONE' AND NOT t.suppressed))
    FROM recent)`
}

/** What a turn's planner knew of before the conversation; the messenger is given the same (`known` of a plan). */
export interface StoredKnown {
  readonly summary: string
  readonly facts: readonly { readonly id: string; readonly content: string }[]
  readonly pluginSections: readonly Pick<PluginSection, 'title' | 'text' | 'trust'>[]
}

/** The same with all that plugins have made of the turn. */
interface LoadedKnown extends Omit<StoredKnown, 'pluginSections'> {
  readonly pluginWork: PluginWork
}

/** Whose turn it is; of what it may be shown (knowledge/reach-of-turn.ts), `teachers` null: everybody's word counts. */
interface ContinuedTurn {
  readonly turnId: string
  readonly reach: Reach
  readonly teachers: readonly string[] | null
}

/**
 * For a turn that is continued: the facts that its planner was shown, as they are now, and the summary. A fact that may
 * not be shown there any more is left out.
 */
export async function loadKnown(database: Database, { turnId, reach, teachers }: ContinuedTurn): Promise<LoadedKnown> {
  const [row] = await database.query<Omit<LoadedKnown, 'pluginWork'> & { pluginWork: PluginWork | null }>(LOAD_KNOWN, [
    turnId,
    reach,
    teachers,
  ])
  const pluginWork = row?.pluginWork ?? NO_PLUGIN_WORK
  return { summary: '', facts: [], ...row, pluginWork }
}

const LOAD_KNOWN = {
  name: 'turn.known',
  text: `SELECT s.summary, t.plugin_work AS "pluginWork", coalesce((SELECT jsonb_agg(jsonb_build_object('id', f.id, 'content', f.content) ORDER BY f.id)
      FROM turn_facts u JOIN facts f ON f.id = ANY (u.fact_ids) WHERE u.turn_id = t.id AND f.invalidated_at IS NULL
        AND f.scope || ' ' || f.scope_of = ANY ($2::text[]) AND ${isVouchedFor('$3')}), '[]') AS facts
    FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.id = $1`,
}
