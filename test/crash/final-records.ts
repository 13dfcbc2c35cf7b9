/** What turns have left behind when everything is over, read past the servers: deliveries, learnings, audit. */
import { statSync } from 'node:fs'
import pg from 'pg'
import { verifyAudit } from '../../src/audit/verify-audit.ts'
import type { Statement } from '../../src/store/database.ts'
import { publishedPath } from '../../src/store/files/published-bytes.ts'
import { PUBLISH } from './session-load.ts'

export interface FinalDelivery {
  readonly id: string
  readonly session_id: string
  readonly task_id: string
  readonly content: string
  readonly status: string
}

export interface FinalTurn {
  readonly id: string
  readonly message_id: string
  /** With its first plan, and no command was interrupted. */
  readonly ran_through: boolean
}

export interface FinalLearning {
  readonly id: string
  readonly turn_id: string
  readonly content: string
  readonly status: string
  /** With the same text. */
  readonly facts: number
  readonly questions: number
}

/** A command that ended and was to publish a file. */
export interface FinalPublication {
  readonly task_id: string
  /** Rows, and those whose bytes are there. */
  readonly files: number
  readonly whole: number
}

export interface FinalRecords {
  /** In the order in which they are to be posted, by session. */
  readonly deliveries: readonly FinalDelivery[]
  /** The tasks whose texts were to be posted. */
  readonly texts: readonly string[]
  readonly turns: readonly FinalTurn[]
  readonly learnings: readonly FinalLearning[]
  /** Learnings that an event tells of, and that are not there. */
  readonly lostLearnings: readonly string[]
  readonly publications: readonly FinalPublication[]
  /** Tasks, reviews and turns whose entries in the audit are not what they should be. */
  readonly unaudited: readonly string[]
  readonly auditEntries: number
  /** Why the audit's chain does not hold; null when it does. */
  readonly auditProblem: string | null
}

export interface RecordsPlace {
  readonly databaseUrl: string
  readonly home: string
}

export async function readFinalRecords(
  { databaseUrl, home }: RecordsPlace,
  sessionIds: readonly string[],
): Promise<FinalRecords> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [sessionIds])).rows
  const texts = async (text: string): Promise<string[]> => (await query<{ text: string }>(text)).map((row) => row.text)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const audit = await verifyAudit(
      async <Row extends object>({ text }: Statement, values: readonly unknown[]) =>
        (await client.query<Row>(text, [...values])).rows,
      { day: null, maxEntries: Infinity },
    )
    return {
      deliveries: await query<FinalDelivery>(DELIVERIES),
      texts: await texts(TEXTS),
      turns: await query<FinalTurn>(TURNS),
      learnings: await query<FinalLearning>(LEARNINGS),
      lostLearnings: await texts(LOST_LEARNINGS),
      publications: (await query<PublishingTask>(PUBLICATIONS)).map((task) => publicationOf(task, home)),
      unaudited: [
        ...(await texts(UNAUDITED_TASKS)),
        ...(await texts(UNAUDITED_REVIEWS)),
        ...(await texts(UNAUDITED_CALLS)),
      ],
      auditEntries: audit.entries,
      auditProblem: audit.problem ?? (audit.seals === 0 ? 'The audit has no seal.' : null),
    }
  } finally {
    await client.end()
  }
}

interface PublishingTask {
  readonly task_id: string
  readonly files: readonly { readonly id: string; readonly size: number }[]
}

function publicationOf({ task_id, files }: PublishingTask, home: string): FinalPublication {
  const isWhole = ({ id, size }: PublishingTask['files'][number]): boolean =>
    statSync(publishedPath(home, id), { throwIfNoEntry: false })?.size === size
  return { task_id, files: files.length, whole: files.filter(isWhole).length }
}

/** How many deliveries wait for another attempt. */
export async function countPendingDeliveries(databaseUrl: string, sessionIds: readonly string[]): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(PENDING, [sessionIds])
    return rows[0]?.count ?? 0
  } finally {
    await client.end()
  }
}

const PENDING = `SELECT count(*)::int AS count FROM deliveries WHERE session_id = ANY($1) AND status = 'PENDING'`

const DELIVERIES = `SELECT d.id, d.session_id, d.task_id, coalesce(t.output, '') AS content, d.status
  FROM deliveries d JOIN tasks t ON t.id = d.task_id WHERE d.session_id = ANY($1) ORDER BY d.session_id, d.seq`

const TEXTS = `SELECT t.id AS text FROM tasks t JOIN sessions s ON s.id = t.session_id
  WHERE t.session_id = ANY($1) AND s.webhook IS NOT NULL AND t.type = 'MSG' AND t.status = 'DONE'`

const TURNS = `SELECT u.id, u.message_id,
    (SELECT count(*) FROM plans p WHERE p.turn_id = u.id) = 1
      AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.turn_id = u.id AND t.status <> 'DONE') AS ran_through
  FROM turns u WHERE u.session_id = ANY($1)`

const LEARNINGS = `SELECT l.id, l.turn_id, l.content, l.status,
    (SELECT count(*)::int FROM facts f WHERE f.norm = l.norm) AS facts,
    (SELECT count(*)::int FROM questions q WHERE q.norm = l.norm) AS questions
  FROM learnings l WHERE l.session_id = ANY($1)`

const PUBLICATIONS = `SELECT t.id AS task_id,
    coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'size', f.size)) FILTER (WHERE f.id IS NOT NULL), '[]') AS files
  FROM tasks t LEFT JOIN published_files f ON f.task_id = t.id
  WHERE t.session_id = ANY($1) AND t.status = 'DONE' AND right(t.detail, ${PUBLISH.length}) = '${PUBLISH}' GROUP BY t.id`

const LOST_LEARNINGS = `SELECT e.data->>'learningId' AS text FROM events e
  LEFT JOIN learnings l ON l.id = e.data->>'learningId'
  WHERE e.session_id = ANY($1) AND e.type = 'Review' AND e.data->>'learningId' IS NOT NULL AND l.id IS NULL`

/** What the audit says of a task is how it ended, once. */
const UNAUDITED_TASKS = `SELECT t.id || ' is ' || t.status || ', the audit says ' || coalesce(a.said, 'nothing') AS text
  FROM tasks t LEFT JOIN (
    SELECT data->>'taskId' AS id, string_agg(data->>'status', ',') AS said FROM audit_entries WHERE kind = 'TASK' GROUP BY 1
  ) a ON a.id = t.id
  WHERE t.session_id = ANY($1) AND t.status NOT IN ('PENDING', 'RUNNING') AND a.said IS DISTINCT FROM t.status::text`

const UNAUDITED_REVIEWS = `SELECT t.id || ' was judged ' || t.review_verdict || ', the audit says ' || coalesce(a.said, 'nothing') AS text
  FROM tasks t LEFT JOIN (
    SELECT data->>'taskId' AS id, string_agg(data->>'verdict', ',') AS said FROM audit_entries WHERE kind = 'REVIEW' GROUP BY 1
  ) a ON a.id = t.id
  WHERE t.session_id = ANY($1) AND t.review_verdict IS NOT NULL AND a.said IS DISTINCT FROM t.review_verdict::text`

/** A turn's model calls are counted in its row and entered in the audit, together. */
const UNAUDITED_CALLS = `SELECT u.id || ' has counted ' || u.model_calls || ' model calls, the audit ' || coalesce(a.calls, 0) AS text
  FROM turns u LEFT JOIN (
    SELECT turn_id, count(*)::int AS calls FROM audit_entries WHERE kind = 'MODEL_CALL' GROUP BY 1
  ) a ON a.turn_id = u.id
  WHERE u.session_id = ANY($1) AND u.model_calls <> coalesce(a.calls, 0)`
