/** What has become of approvals and of the runs of schedules when everything is over, read past the servers. */
import pg from 'pg'

export interface FinalApproval {
  readonly id: string
  readonly status: string
  readonly decided_by: string | null
  readonly task_status: string
  /** Events that tell of it: that it was asked for, and that it was settled. */
  readonly events: number
  /** What the audit says of it, in order. */
  readonly audit: readonly string[]
}

export interface FinalRun {
  readonly id: string
  readonly schedule_id: string
  readonly due_at: Date
  readonly manual: boolean
  readonly status: string
  readonly started_at: Date
  readonly finished_at: Date | null
  readonly message_id: string | null
  /** Null: there is none. */
  readonly message_status: string | null
  readonly turn_status: string | null
}

export interface FinalSchedule {
  readonly id: string
  /** Its sessions. */
  readonly sessions: readonly string[]
  /** What was said in its sessions. */
  readonly messages: readonly string[]
  /** How the tasks ended that leave a mark. */
  readonly commands: readonly string[]
}

export interface FinalDecisions {
  readonly approvals: readonly FinalApproval[]
  /** In the order in which they began. */
  readonly runs: readonly FinalRun[]
  readonly schedules: readonly FinalSchedule[]
}

export interface DecisionsOf {
  readonly sessionIds: readonly string[]
  readonly scheduleIds: readonly string[]
}

export async function readFinalDecisions(databaseUrl: string, of: DecisionsOf): Promise<FinalDecisions> {
  return withClient(databaseUrl, async (client) => {
    const { rows: approvals } = await client.query<FinalApproval>(APPROVALS, [of.sessionIds])
    const { rows: runs } = await client.query<FinalRun>(RUNS, [of.scheduleIds])
    const { rows: schedules } = await client.query<FinalSchedule>(SCHEDULES, [of.scheduleIds])
    return { approvals, runs, schedules }
  })
}

/** Runs that are open, and firings that are due. */
export async function countOpenRuns(databaseUrl: string, scheduleIds: readonly string[]): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(OPEN_RUNS, [scheduleIds])
    return rows[0]?.count ?? 0
  })
}

async function withClient<T>(databaseUrl: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const APPROVALS = `SELECT a.id, a.status, a.decided_by, t.status AS task_status,
    (SELECT count(*)::int FROM events e
      WHERE e.session_id = a.session_id AND e.type = 'Approval' AND e.data->>'approvalId' = a.id) AS events,
    ARRAY(SELECT data->>'status' FROM audit_entries
      WHERE kind = 'APPROVAL' AND data->>'approvalId' = a.id ORDER BY txid, pos) AS audit
  FROM approvals a JOIN tasks t ON t.id = a.task_id WHERE a.session_id = ANY($1)`

const RUNS = `SELECT r.id, r.schedule_id, r.due_at, r.manual, r.status, r.started_at, r.finished_at, r.message_id,
    m.status AS message_status, t.status AS turn_status
  FROM schedule_runs r LEFT JOIN messages m ON m.id = r.message_id LEFT JOIN turns t ON t.message_id = r.message_id
  WHERE r.schedule_id = ANY($1) ORDER BY r.started_at, r.id`

const SCHEDULES = `SELECT s.id,
    ARRAY(SELECT x.id FROM sessions x WHERE starts_with(x.id, 'schedule:' || s.id)) AS sessions,
    ARRAY(SELECT m.id FROM messages m WHERE starts_with(m.session_id, 'schedule:' || s.id)) AS messages,
    ARRAY(SELECT t.status::text FROM tasks t WHERE starts_with(t.session_id, 'schedule:' || s.id) AND t.type = 'EXEC') AS commands
  FROM schedules s WHERE s.id = ANY($1)`

const OPEN_RUNS = `SELECT (SELECT count(*) FROM schedule_runs WHERE schedule_id = ANY($1) AND status = 'RUNNING')::int
  + (SELECT count(*) FROM schedules WHERE id = ANY($1) AND next_run_at <= now())::int AS count`
