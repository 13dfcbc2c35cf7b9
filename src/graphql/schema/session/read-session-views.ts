/**
 * What Session.view shows, of any number of sessions, as of one moment each: the first statement finds out where things
 * stand and which rows are shown, and what the document selects of these rows is read from the same snapshot of the
 * database. So `version` is the seq up to which everything in the view has happened, and nothing after it. Called by
 * session-view.ts.
 */
import type { PipelineStep, SessionStatus } from '../../../core/status.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Database } from '../../../store/database.ts'
import { toAppError } from '../../../store/to-app-error.ts'
import type { Row } from '../paging/connection-type.ts'
import type { OutputPlace } from '../turn/read-outputs.ts'
import type { UsageRow } from '../turn/usage.ts'

/** The lists of a view are no longer: there are connections for what is. */
export const MAX_LISTED = 20

export interface SessionViewData extends UsageRow {
  readonly sessionId: string
  readonly status: SessionStatus
  readonly version: number
  readonly queueLength: number
  readonly activeTurn: ActiveTurnData | null
  readonly queue: readonly QueuedMessageData[]
  readonly approvals: readonly Row[]
  readonly questions: readonly Row[]
}

export interface ActiveTurnData {
  readonly turn: Row
  readonly step: PipelineStep | null
  readonly plan: Row | null
  readonly progress: TurnProgressData
}

export interface TurnProgressData {
  readonly done: number
  readonly total: number
  readonly task: Row | null
  /** Where to find what the task has written so far. */
  readonly output: OutputPlace | null
}

export interface QueuedMessageData {
  readonly position: number
  readonly message: Row
}

/** What the document selects of the rows of each kind, for Prisma; the id at least. */
export interface ViewSelections {
  readonly turn: Selection
  readonly plan: Selection
  readonly task: Selection
  readonly message: Selection
  readonly approval: Selection
  readonly question: Selection
}

export interface Selection {
  readonly select: { readonly id: true }
}

interface Standing extends UsageRow {
  readonly sessionId: string
  readonly status: SessionStatus
  readonly version: number
  readonly queueLength: number
  readonly turnId: string | null
  readonly turnSeq: number | null
  readonly step: PipelineStep | null
  readonly planId: string | null
  readonly done: number
  readonly total: number
  readonly taskId: string | null
  readonly queue: readonly string[]
  readonly approvals: readonly string[]
  readonly questions: readonly string[]
}

/** By session; one that is gone is left out. */
export async function readSessionViews(
  { prisma }: Database,
  selections: ViewSelections,
  sessionIds: readonly string[],
): Promise<Map<string, SessionViewData>> {
  try {
    return await prisma.$transaction(
      async (snapshot) => {
        const standings = await snapshot.$queryRawUnsafe<Standing[]>(STANDINGS, sessionIds, MAX_LISTED)
        const rows = await readRows(snapshot, selections, standings)
        return new Map(standings.map((standing) => [standing.sessionId, viewOf(standing, rows)]))
      },
      { isolationLevel: 'RepeatableRead' },
    )
  } catch (error) {
    throw toAppError(error)
  }
}

const STANDINGS = `
  SELECT s.id AS "sessionId", s.status, s.last_seq AS version, s.queue_length AS "queueLength",
    s.model_calls AS "modelCalls", s.input_tokens AS "inputTokens", s.output_tokens AS "outputTokens",
    s.cached_tokens AS "cachedTokens", s.cost,
    turn.id AS "turnId", turn.seq AS "turnSeq", turn.step, plan.id AS "planId",
    coalesce(progress.done, 0) AS done, coalesce(progress.total, 0) AS total, progress.task_id AS "taskId",
    ARRAY(SELECT message_id FROM turns WHERE session_id = s.id AND status = 'QUEUED' ORDER BY seq LIMIT $2) AS queue,
    ARRAY(
      SELECT id FROM approvals WHERE session_id = s.id AND turn_id = turn.id AND status = 'PENDING' ORDER BY id LIMIT $2
    ) AS approvals,
    ARRAY(
      SELECT id FROM questions WHERE session_id = s.id AND status = 'OPEN' ORDER BY id DESC LIMIT $2
    ) AS questions
  FROM sessions s
  LEFT JOIN LATERAL (
    SELECT id, seq, step FROM turns WHERE session_id = s.id AND status IN ('RUNNING', 'AWAITING_APPROVAL') LIMIT 1
  ) turn ON true
  LEFT JOIN LATERAL (SELECT id FROM plans WHERE turn_id = turn.id ORDER BY attempt DESC LIMIT 1) plan ON true
  LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE status = 'DONE')::int AS done, count(*)::int AS total,
      (array_agg(id ORDER BY index) FILTER (WHERE status IN ('RUNNING', 'AWAITING_APPROVAL')))[1] AS task_id
    FROM tasks WHERE plan_id = plan.id
  ) progress ON true
  WHERE s.id = ANY ($1::text[])`

type Rows = Readonly<Record<keyof ViewSelections, ReadonlyMap<string, Row>>>

/** One read of each kind of which there is something to show. */
async function readRows(
  snapshot: Prisma.TransactionClient,
  selections: ViewSelections,
  standings: readonly Standing[],
): Promise<Rows> {
  const ids = (of: (standing: Standing) => string | null | readonly string[]): string[] =>
    standings.flatMap((standing) => of(standing) ?? [])
  const { turn, plan, task, message, approval, question } = selections
  const among = (wanted: string[]): { where: { id: { in: string[] } } } => ({ where: { id: { in: wanted } } })
  return {
    turn: await rowsOf(
      turn,
      ids(({ turnId }) => turnId),
      (wanted) => snapshot.turn.findMany({ ...turn, ...among(wanted) }),
    ),
    plan: await rowsOf(
      plan,
      ids(({ planId }) => planId),
      (wanted) => snapshot.plan.findMany({ ...plan, ...among(wanted) }),
    ),
    task: await rowsOf(
      task,
      ids(({ taskId }) => taskId),
      (wanted) => snapshot.task.findMany({ ...task, ...among(wanted) }),
    ),
    message: await rowsOf(
      message,
      ids(({ queue }) => queue),
      (wanted) => snapshot.message.findMany({ ...message, ...among(wanted) }),
    ),
    approval: await rowsOf(
      approval,
      ids(({ approvals }) => approvals),
      (wanted) => snapshot.approval.findMany({ ...approval, ...among(wanted) }),
    ),
    question: await rowsOf(
      question,
      ids(({ questions }) => questions),
      (wanted) => snapshot.question.findMany({ ...question, ...among(wanted) }),
    ),
  }
}

/** The id alone, or nothing at all, needs no read. */
async function rowsOf(
  { select }: Selection,
  ids: string[],
  read: (ids: string[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<string, Row>> {
  const isIdAlone = Object.keys(select).length === 1
  const rows = ids.length === 0 || isIdAlone ? ids.map((id) => ({ id })) : await read(ids)
  return new Map(rows.map((row) => [row.id, row]))
}

function viewOf(standing: Standing, rows: Rows): SessionViewData {
  const { queue, approvals, questions, ...rest } = standing
  return {
    ...rest,
    activeTurn: activeTurnOf(standing, rows),
    queue: queue.flatMap((id, position) => {
      const message = rows.message.get(id)
      return message === undefined ? [] : [{ position, message }]
    }),
    approvals: approvals.flatMap((id) => rows.approval.get(id) ?? []),
    questions: questions.flatMap((id) => rows.question.get(id) ?? []),
  }
}

function activeTurnOf(standing: Standing, rows: Rows): ActiveTurnData | null {
  const { sessionId, version, turnId, turnSeq, step, planId, done, total, taskId } = standing
  const turn = rows.turn.get(turnId ?? '')
  if (turn === undefined) return null
  return {
    turn,
    step,
    plan: rows.plan.get(planId ?? '') ?? null,
    progress: {
      done,
      total,
      task: rows.task.get(taskId ?? '') ?? null,
      output: taskId === null ? null : { sessionId, taskId, from: turnSeq ?? 0, to: version },
    },
  }
}
