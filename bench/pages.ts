/** (f) Pages over HTTP: the newest 50 of 100 000 sessions, and 50 events from the middle of a log of 100 000. */
import pg from 'pg'
import { median, percentile, show } from './figures.ts'
import { JsonClient } from './json-client.ts'
import { TOKEN, USER_TOKEN, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const SESSIONS = `{ sessions(first: 50) { edges { cursor node { id description status messageCount turnCount queueLength lastMessagePreview lastActivityAt lastSeq } } pageInfo { hasNextPage endCursor } } }`
const EVENTS = `{ session(id: "many:0") { events(after: "50000", first: 50) { edges { node { __typename seq at turnId ... on TaskOutputEvent { taskId stream text } } } } } }`
const COUNT = 100_000

export async function measurePages(stage: Stage, { requests }: { requests: number }): Promise<Row[]> {
  await fill(stage.databaseUrl)
  const cases = [
    { what: 'sessions(first: 50) of 100 000, admin', token: TOKEN, query: SESSIONS },
    { what: 'sessions(first: 50), user in 1 000 of 100 000', token: USER_TOKEN, query: SESSIONS },
    { what: '50 events of 100 000', token: TOKEN, query: EVENTS },
  ]
  const rows: Row[] = []
  for (const { what, token, query } of cases) {
    const http = new JsonClient(token)
    const found: number[] = []
    for (let n = 0; n < requests + 20; n += 1) {
      const beganMs = performance.now()
      const reply = await http.post<{ errors?: unknown }>(`${stage.url}/graphql`, { query })
      if (reply.errors !== undefined) throw new Error(JSON.stringify(reply))
      if (n >= 20) found.push(performance.now() - beganMs)
    }
    http.close()
    const note = `p99 ${show(percentile(found, 0.99))} ms`
    rows.push({ what: `(f) ${what}, ms`, value: show(median(found)), floor: '', ratio: '', note })
  }
  return rows
}

async function fill(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`INSERT INTO sessions (id, source_kind, source_interactive, last_seq, last_activity_at, description)
    SELECT 'many:' || n, 'bench', true, ${COUNT}, now() - n * interval '1 second', 'Session ' || n FROM generate_series(0, ${COUNT - 1}) n`)
  await client.query(
    `INSERT INTO participants (session_id, user_name) SELECT 'many:' || n * 100, 'ben' FROM generate_series(0, 999) n`,
  )
  await client.query(`INSERT INTO events (session_id, seq, at, type, data)
    SELECT 'many:0', n, now(), 'TaskOutput', jsonb_build_object('taskId', 'task_x', 'stream', 'STDOUT', 'text', 'line ' || n)
    FROM generate_series(1, ${COUNT}) n`)
  await client.query('VACUUM ANALYZE sessions, participants, events')
  await client.end()
}
