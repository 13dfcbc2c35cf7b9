/** What the database holds when everything is over, read past the servers. */
import pg from 'pg'

export interface FinalMessage {
  readonly id: string
  readonly session_id: string
  readonly content: string
  readonly idempotency_key: string | null
  readonly status: string
  readonly turn_id: string | null
  readonly turn_status: string | null
  readonly failure: string | null
}

export interface FinalTask {
  readonly id: string
  readonly detail: string
  readonly status: string
  /** What became of the question whether it may run; null: nobody was asked. */
  readonly approval: string | null
  /** Its exit code and the end of its stderr, for who reads of a promise that it broke. */
  readonly ending: string
}

export interface FinalEvent {
  readonly seq: number
  readonly type: string
  readonly turn_id: string | null
  readonly step: string | null
  readonly task_id: string | null
  readonly status: string | null
}

export interface FinalState {
  /** In the order in which they came, by session. */
  readonly messages: readonly FinalMessage[]
  /** EXEC tasks. */
  readonly commands: readonly FinalTask[]
  readonly events: ReadonlyMap<string, readonly FinalEvent[]>
  /** Sessions that are not at rest: work or a lease left. */
  readonly restless: readonly string[]
}

export async function readFinalState(databaseUrl: string, sessionIds: readonly string[]): Promise<FinalState> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const query = async <Row extends object>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [sessionIds])).rows
  try {
    const events = await query<FinalEvent & { session_id: string }>(EVENTS)
    return {
      messages: await query<FinalMessage>(MESSAGES),
      commands: await query<FinalTask>(COMMANDS),
      events: Map.groupBy(events, (event) => event.session_id),
      restless: (await query<{ id: string }>(RESTLESS)).map(({ id }) => id),
    }
  } finally {
    await client.end()
  }
}

const MESSAGES = `SELECT m.id, m.session_id, m.content, m.idempotency_key, m.status, t.id AS turn_id, t.status AS turn_status, t.failure
  FROM messages m LEFT JOIN turns t ON t.message_id = m.id WHERE m.session_id = ANY($1) ORDER BY m.session_id, m.seq`

const COMMANDS = `SELECT t.id, t.detail, t.status, a.status AS approval,
    concat_ws(' ', 'exit code', coalesce(t.exit_code::text, 'none'), right(t.stderr, 300)) AS ending
  FROM tasks t LEFT JOIN approvals a ON a.task_id = t.id
  WHERE t.session_id = ANY($1) AND t.type = 'EXEC'`

const EVENTS = `SELECT session_id, seq, type, turn_id, data->>'step' AS step, data->>'taskId' AS task_id, data->>'status' AS status
  FROM events WHERE session_id = ANY($1) ORDER BY session_id, seq`

const RESTLESS = `SELECT s.id FROM sessions s WHERE s.id = ANY($1) AND (s.owner IS NOT NULL OR s.ready_at IS NOT NULL
  OR s.queue_length <> 0 OR s.status <> 'IDLE' OR s.open_approvals <> 0
  OR s.turn_count <> (SELECT count(*) FROM turns t WHERE t.session_id = s.id)
  OR EXISTS (SELECT 1 FROM tasks t WHERE t.session_id = s.id AND t.status IN ('PENDING', 'RUNNING', 'AWAITING_APPROVAL')))`
