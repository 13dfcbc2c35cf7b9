/**
 * Rows as years of use leave them, written past the server: for tests and the bench that show that a turn costs the
 * same in an old session, and with many facts. `run` executes one statement.
 */
type Run = (sql: string, values: readonly unknown[]) => Promise<unknown>

const EVENTS_PER_TURN = 20

/**
 * A session in which `turns` messages were answered, all but the last ten in its summary. Its last seq is `turns` × 20.
 */
export async function fillSession(run: Run, { id, turns }: { id: string; turns: number }): Promise<void> {
  const values = [id, turns]
  await run(
    `INSERT INTO sessions (id, source_kind, source_interactive, connector, message_count, turn_count, last_seq, summary, summary_seq)
     VALUES ($1, 'cli', true, 'bench', $2::int, $2::int, $2::int * ${EVENTS_PER_TURN},
       'They greeted each other many times.', greatest(0, $2::int - 10) * ${EVENTS_PER_TURN})`,
    values,
  )
  const turn = `lpad(n::text, 9, '0') || '_' || $1`
  const rows = (table: string, columns: string, select: string): Promise<unknown> =>
    run(`INSERT INTO ${table} (${columns}) SELECT ${select} FROM generate_series(1, $2::int) n`, values)
  const seq = `(n - 1) * ${EVENTS_PER_TURN} + 1`
  await rows(
    'messages',
    'id, session_id, seq, role, user_name, content, trusted, status, client, created_at',
    `'msg_0' || ${turn}, $1, ${seq}, 'USER', 'ada', 'Say hi.', true, 'DONE', 'bench', now()`,
  )
  await rows(
    'turns',
    'id, session_id, seq, message_id, user_name, status, step, created_at, started_at, finished_at',
    `'turn_0' || ${turn}, $1, ${seq}, 'msg_0' || ${turn}, 'ada', 'DONE', 'COMPLETE', now(), now(), now()`,
  )
  await rows(
    'plans',
    'id, session_id, turn_id, attempt, goal, created_at',
    `'plan_0' || ${turn}, $1, 'turn_0' || ${turn}, 1, 'Say hi', now()`,
  )
  for (const [index, type, output] of [
    [0, 'EXEC', 'hi'],
    [1, 'MSG', 'It printed hi.'],
  ] as const) {
    await rows(
      'tasks',
      'id, session_id, turn_id, plan_id, index, type, detail, status, output, final',
      `'task_0' || ${turn} || '_${index}', $1, 'turn_0' || ${turn}, 'plan_0' || ${turn}, ${index}, '${type}', 'Say hi', 'DONE',
        '${output}', ${index === 1}`,
    )
  }
  await run(
    `INSERT INTO events (session_id, seq, at, turn_id, type, data)
     SELECT $1, n, now(), NULL, 'PipelineStep', '{"step": "CONTEXT", "detail": null}'
     FROM generate_series(1, $2::int * ${EVENTS_PER_TURN}) n`,
    values,
  )
}

const FACTS_AT_ONCE = 400

/** Live facts number `from` to `to`: sentences of twelve words, of which a few are frequent and most are rare. */
export async function fillFacts(run: Run, from: number, to: number): Promise<void> {
  // A fact's terms are stored with it: thousands at once would take longer than a statement may.
  for (let first = from; first <= to; first += FACTS_AT_ONCE)
    await run(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       SELECT 'fact_0' || lpad(n::text, 9, '0'), text, text, 'MANUAL', now(), now() FROM (
         SELECT n, 'the server of team ' || n % 97 || ' says hi to ' || string_agg(md5((n * 7 + k * k * n % 5000)::text)::varchar(6), ' ') AS text
         FROM generate_series($1::int, $2::int) n, generate_series(1, 6) k GROUP BY n) facts`,
      [first, Math.min(to, first + FACTS_AT_ONCE - 1)],
    )
}
