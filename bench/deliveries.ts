/**
 * (h) How many deliveries a second are posted to webhooks: rows that wait, of sessions side by side, to a receiver that
 * answers at once. The floor posts the same bodies over as many connections, signed, and stores each outcome with one
 * statement.
 */
import { Agent, request } from 'undici'
import pg from 'pg'
import { signPost } from '../src/delivery/sign-post.ts'
import { CONNECTIONS_PER_HOST } from '../src/delivery/post.ts'
import { median, show } from './figures.ts'
import { HelperProcess } from './helper-process.ts'
import type { ReceiverApi } from './receiver-main.ts'
import { WEBHOOK_SECRET, type Stage } from './stage.ts'
import type { Row } from './table.ts'

const HOSTS = 8
const SESSIONS = 64
const TEXT = 'An answer of usual length, which says what was found and where. '.repeat(10)

export async function measureDeliveries(
  stage: Stage,
  { rounds, perSession }: { rounds: number; perSession: number },
): Promise<Row[]> {
  await using receiver = new HelperProcess<ReceiverApi>('receiver-main.ts')
  const ports = await receiver.call('openPorts', HOSTS)
  await using pool = Object.assign(new pg.Pool({ connectionString: stage.databaseUrl, max: 8 }), {
    [Symbol.asyncDispose]: () => pool.end(),
  })
  const ours: number[] = []
  const floor: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const count = SESSIONS * perSession
    const begin = async (name: string): Promise<void> =>
      void (await pool.query(SEED, [name, SESSIONS, perSession, TEXT, ports]))
    const perSecond = async (work: Promise<unknown>): Promise<number> => {
      const beganMs = performance.now()
      await Promise.all([work, receiver.call('receive', count)])
      return (count * 1000) / (performance.now() - beganMs)
    }
    await begin(`h${round}-ours`)
    const measured = await perSecond(pool.query(WAKE, [`bench:h${round}-ours-%`]))
    await begin(`h${round}-floor`)
    const least = await perSecond(postAll(pool, `bench:h${round}-floor-%`))
    // The first round warms up.
    if (round >= 0) ours.push(measured)
    if (round >= 0) floor.push(least)
  }
  const [value, least] = [median(ours), median(floor)]
  return [
    {
      what: `(h) webhook posts per second, ${SESSIONS} sessions, ${HOSTS} hosts`,
      value: show(value),
      floor: show(least),
      ratio: show(value / least),
      note: `each with its outcome and audit entry; at most ${CONNECTIONS_PER_HOST} at once to a host`,
    },
  ]
}

interface Waiting {
  readonly id: string
  readonly url: string
  readonly session_id: string
  readonly task_id: string
  readonly final: boolean
}

/** The barest script: no order within sessions, no lease, no retries, no audit. */
async function postAll(pool: pg.Pool, sessions: string): Promise<void> {
  const { rows } = await pool.query<Waiting>('SELECT * FROM deliveries WHERE session_id LIKE $1', [sessions])
  const agent = new Agent({ connections: CONNECTIONS_PER_HOST })
  const work = async (): Promise<void> => {
    for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
      const { id, url, session_id: session, task_id, final } = row
      const body = JSON.stringify({ session, task_id, type: 'msg', content: TEXT, final })
      const headers = {
        'content-type': 'application/json',
        ...signPost([WEBHOOK_SECRET], { id, at: new Date(), body }),
      }
      const answer = await request(url, { method: 'POST', dispatcher: agent, headers, body })
      await answer.body.dump()
      await pool.query({ name: 'bench.delivered', text: DONE, values: [id, answer.statusCode] })
    }
  }
  await Promise.all(Array.from({ length: HOSTS * CONNECTIONS_PER_HOST }, work))
  await agent.close()
}

const DONE = `UPDATE deliveries SET status = 'DELIVERED', attempts = 1, last_status_code = $2, delivered_at = now(),
    next_attempt_at = NULL WHERE id = $1`

const WAKE = `SELECT count(graphile_worker.add_job('deliver', json_build_object('sessionId', id), job_key := 'deliver:' || id))
  FROM sessions WHERE id LIKE $1`

/** $1 a name, $2 sessions, $3 texts in each, $4 the text, $5 ports of the receiver. */
const SEED = `
  WITH s AS (
    INSERT INTO sessions (id, source_kind, source_interactive, webhook, webhook_token, last_seq)
    SELECT 'bench:' || $1 || '-' || n, 'bench', true,
      'http://127.0.0.1:' || ($5::int[])[1 + n % cardinality($5::int[])] || '/hook', 'bench', 1
    FROM generate_series(1, $2::int) n RETURNING id, webhook),
  m AS (
    INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
    SELECT 'm-' || s.id, s.id, 1, 'USER', 'ada', 'Hello', true, 'DONE', 'bench', now() FROM s),
  t AS (
    INSERT INTO turns (id, session_id, seq, message_id, user_name, status, created_at)
    SELECT 't-' || s.id, s.id, 1, 'm-' || s.id, 'ada', 'DONE', now() FROM s),
  p AS (
    INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at)
    SELECT 'p-' || s.id, s.id, 't-' || s.id, 1, 'Answer', now() FROM s),
  k AS (
    INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status, output)
    SELECT 'k-' || s.id || '-' || i, s.id, 't-' || s.id, 'p-' || s.id, i, 'MSG', 'Answer', 'DONE', $4
    FROM s, generate_series(1, $3::int) i)
  INSERT INTO deliveries (id, session_id, task_id, url, token_name, final, created_at, next_attempt_at)
  SELECT 'd-' || s.id || '-' || i, s.id, 'k-' || s.id || '-' || i, s.webhook, 'bench', i = $3::int, now(), now()
  FROM s, generate_series(1, $3::int) i ORDER BY s.id, i`
