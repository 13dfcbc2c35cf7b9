/**
 * Rows of a deployment that worked, in the columns of the first schema: each later one takes them, too. Sessions with
 * turns, plans, tasks, a whole log and its counts; what was learned of them; what was posted; what was audited.
 */
export const FILLED = { sessions: 2, turnsOfEach: 2 } as const

const { sessions: SESSIONS, turnsOfEach: TURNS } = FILLED
const EVENTS = 4

/** As the ids of the product look: a kind, and 26 digits. `number`: an expression of SQL. */
const id = (kind: string, number: string): string => `'${kind}_' || lpad((${number})::text, 26, '0')`
const session = `'cli:old-' || s`
const ofTurn = 's * 100 + n'
const each = `generate_series(1, ${SESSIONS}) s`
const eachTurn = `${each}, generate_series(1, ${TURNS}) n`

export const fillOlder = `
INSERT INTO sessions (id, source_kind, source_interactive, message_count, turn_count, last_seq, summary)
  SELECT ${session}, 'cli', true, ${TURNS}, ${TURNS}, ${TURNS * EVENTS}, 'What was said before.' FROM ${each};
INSERT INTO participants (session_id, user_name) SELECT id, 'ben' FROM sessions;
INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
  SELECT ${id('msg', ofTurn)}, ${session}, (n - 1) * ${EVENTS} + 1, 'USER', 'ben', 'message ' || n, true, 'DONE', 'tests', now()
  FROM ${eachTurn};
INSERT INTO turns (id, session_id, seq, message_id, user_name, status, step, created_at, started_at, finished_at)
  SELECT ${id('turn', ofTurn)}, ${session}, (n - 1) * ${EVENTS} + 1, ${id('msg', ofTurn)}, 'ben', 'DONE', 'COMPLETE', now(), now(), now()
  FROM ${eachTurn};
INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at)
  SELECT ${id('plan', ofTurn)}, ${session}, ${id('turn', ofTurn)}, 1, 'goal ' || n, now() FROM ${eachTurn};
INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status, output, exit_code, final, review_verdict)
  SELECT ${id('task', `(${ofTurn}) * 10 + k`)}, ${session}, ${id('turn', ofTurn)}, ${id('plan', ofTurn)}, k,
    (ARRAY['EXEC', 'MSG'])[k + 1]::task_type, 'detail ' || n, 'DONE', 'output ' || n, CASE k WHEN 0 THEN 0 END, k = 1,
    CASE k WHEN 0 THEN 'OK'::review_verdict END
  FROM ${eachTurn}, generate_series(0, 1) k;
INSERT INTO events (session_id, seq, at, turn_id, type, data)
  SELECT ${session}, (n - 1) * ${EVENTS} + e.seq, now(), ${id('turn', ofTurn)}, e.type, e.data
  FROM ${eachTurn}, LATERAL (VALUES
    (1, 'MessageReceived', jsonb_build_object('messageId', ${id('msg', ofTurn)})),
    (2, 'PlanCreated', jsonb_build_object('planId', ${id('plan', ofTurn)})),
    (3, 'TaskUpdate', jsonb_build_object('taskId', ${id('task', `(${ofTurn}) * 10`)}, 'status', 'DONE')),
    (4, 'TurnCompleted', '{"status":"DONE","commandsHandled":[],"durationMs":10,"failure":null,
      "usage":{"calls":1,"inputTokens":2,"outputTokens":3,"cachedTokens":0,"cost":null}}')
  ) AS e(seq, type, data);
INSERT INTO facts (id, content, norm, source, session_id, created_at, updated_at)
  SELECT ${id('fact', 's')}, 'Kettle ' || s || ' is blue.', 'kettle ' || s || ' is blue', 'CURATOR', ${session}, now(), now() FROM ${each};
INSERT INTO fact_versions (fact_id, version, content, change, changed_by, at)
  SELECT id, 1, content, 'CREATED', 'curator', created_at FROM facts;
INSERT INTO learnings (id, session_id, turn_id, task_id, user_name, content, norm, status, fact_id, created_at)
  SELECT ${id('lrn', 's')}, ${session}, ${id('turn', 's * 100 + 1')}, ${id('task', '(s * 100 + 1) * 10')}, 'ben',
    'The kettle is blue.', 'the kettle is blue', 'PROMOTED', ${id('fact', 's')}, now() FROM ${each};
INSERT INTO questions (id, content, norm, session_id, source, created_at)
  SELECT ${id('q', 's')}, 'Whose is kettle ' || s || '?', 'whose is kettle ' || s, ${session}, 'CURATOR', now() FROM ${each};
INSERT INTO deliveries (id, session_id, task_id, url, final, status, attempts, created_at, delivered_at)
  SELECT ${id('dlv', 's')}, ${session}, ${id('task', '(s * 100 + 1) * 10 + 1')}, 'https://hooks.example/', true, 'DELIVERED', 1, now(), now()
  FROM ${each};
INSERT INTO audit_entries (id, at, kind, session_id, actor, data)
  SELECT ${id('aud', 's')}, now(), 'SESSION', ${session}, 'ben', '{"change":"OPENED","detail":null}' FROM ${each};
`

interface NewerRows {
  readonly sql: string
  /** Who asks this is shown that text; null: nothing shows them. */
  readonly shows: { readonly query: string; readonly text: string } | null
}

const task = id('task', '(s * 100 + 1) * 10')
const turn = id('turn', 's * 100 + 1')

/** Rows of the tables that later schemas had besides, each in the columns of the schema that brought the table. */
export const FILL_NEWER: Readonly<Record<string, NewerRows>> = {
  approvals: {
    sql: `INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, status, reason, created_at,
        expires_at, decided_by, decided_at, scope)
      SELECT ${id('apr', 's')}, ${session}, ${turn}, ${task}, 'ben', 'TASK', 'APPROVED', 'because of rule ' || s,
        now(), now(), 'ada', now(), 'ONCE'
      FROM ${each}`,
    shows: { query: '{ approvals { edges { node { reason } } } }', text: 'because of rule 2' },
  },
  schedules: {
    sql: `INSERT INTO schedules (id, user_name, token_name, name, content, cron, time_zone, mode, enabled,
        created_at, updated_at)
      SELECT ${id('sch', 's')}, 'ben', 'ben', 'daily-' || s, 'what is new?', '0 9 * * *', 'UTC', 'FRESH', false,
        now(), now() FROM ${each}`,
    shows: { query: '{ schedules { edges { node { name } } } }', text: 'daily-2' },
  },
  schedule_runs: {
    sql: `INSERT INTO schedule_runs (id, schedule_id, due_at, manual, status, session_id, sent, started_at, finished_at)
      SELECT ${id('run', 's')}, ${id('sch', 's')}, now(), false, 'DONE', ${session}, true, now(), now() FROM ${each}`,
    shows: null,
  },
  users: {
    sql: `INSERT INTO users (id, name, role, all_skills, declared, created_at, created_by)
      VALUES (${id('usr', '7')}, 'dora', 'USER', true, false, now(), 'ada')`,
    shows: { query: '{ users { edges { node { name } } } }', text: 'dora' },
  },
  tokens: {
    sql: `INSERT INTO tokens (id, name, sha256, kind, user_name, declared, created_at, created_by)
      VALUES (${id('tok', '7')}, 'of-dora', sha256('dora'), 'USER', 'dora', false, now(), 'ada')`,
    shows: { query: '{ tokens { edges { node { name } } } }', text: 'of-dora' },
  },
  session_labels: {
    sql: `INSERT INTO session_labels (session_id, key, value) SELECT ${session}, 'kettle', 'number ' || s FROM ${each}`,
    shows: null,
  },
  uploaded_files: {
    sql: `INSERT INTO uploaded_files (id, session_id, name, size, content_type, user_name, by_admin, created_at)
      SELECT ${id('file', 's')}, ${session}, 'kettle-' || s || '.txt', 3, 'text/plain', 'ben', false,
        now() FROM ${each}`,
    shows: null,
  },
  delegations: {
    sql: `INSERT INTO delegations (id, session_id, turn_id, task_id, user_name, depth, share, strangers, mode, task,
        expect, status, answer, answered, closed, created_at, expires_at)
      SELECT ${id('dlg', 's')}, ${session}, ${turn}, ${task}, 'ben', 1, 0.5, false, 'PLAN', 'find kettle ' || s,
        'a place', 'DONE', 'here', true, true, now(), now()
      FROM ${each}`,
    shows: { query: '{ delegations { edges { node { task } } } }', text: 'find kettle 2' },
  },
  plugins: {
    sql: `INSERT INTO plugins (id, name, version, title, description, enabled, position, settings, status,
        created_at, updated_at)
      VALUES (${id('plg', '7')}, 'gone', '1.0.0', 'Gone', 'Is not there any more.', true, 1, '{}', 'MISSING', now(),
        now())`,
    shows: { query: '{ plugins { edges { node { name } } } }', text: 'gone' },
  },
  model_call_texts: {
    sql: `INSERT INTO model_call_texts (id, session_id, at, system, prompt, answer)
      SELECT ${id('call', 's')}, ${session}, now(), 'You plan.', 'What now?', 'This.' FROM ${each}`,
    shows: null,
  },
  question_askings: {
    sql: `INSERT INTO question_askings (question_id, session_id) SELECT ${id('q', 's')}, ${session} FROM ${each}`,
    shows: null,
  },
  fact_uses: {
    sql: `INSERT INTO fact_uses (fact_id, turn_id, session_id) SELECT ${id('fact', 's')}, ${turn},
        ${session} FROM ${each}`,
    shows: null,
  },
  fact_proposals: {
    sql: `INSERT INTO fact_proposals (id, steps, created_at) SELECT ${id('prp', 's')}, '[]', now() FROM ${each}`,
    shows: null,
  },
}
