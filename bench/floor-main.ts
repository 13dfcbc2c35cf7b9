/**
 * The floor: the work of one turn done by the barest script that does it. Three HTTP calls, one `echo hi` through bash,
 * and the same rows, one statement per step, each committed as durably. No GraphQL, no queue, no lease, no limits, no
 * sandbox, no retries, nobody who watches, nothing that survives a crash half-way. A process of its own, small, so that
 * its spawns are cheap; on the same PostgreSQL server as the product, in a database of its own with the same tables.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import pg from 'pg'
import { newId } from '../src/platform/id.ts'
import { systemClock } from '../src/platform/clock.ts'
import { createLogger } from '../src/platform/logger.ts'
import { migrate } from '../src/store/connection/migrate.ts'
import type { GOOD_PLAN } from '../test/model/good-answers.ts'
import { serveParent } from './helper-process.ts'
import { JsonClient } from './json-client.ts'

const run = promisify(execFile)
/** As many as the server has. */
const MAX_CONNECTIONS = 12

let pool = new pg.Pool()
let modelUrl = ''
const http = new JsonClient()

/** The prompts are as long as the product's, so that the stub has as much to read. */
const systemPrompts = Object.fromEntries(
  ['planner', 'reviewer', 'messenger', 'assistant'].map((role) => [
    role,
    ['ground-rules', `${role}/prompt`]
      .map((name) => readFileSync(new URL(`../src/agents/${name}.md`, import.meta.url), 'utf8'))
      .join('\n'),
  ]),
)

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

type Role = 'planner' | 'reviewer' | 'messenger' | 'assistant'

async function complete(role: Role, user: string): Promise<Answer> {
  const format = { planner: 'plan', reviewer: 'review', messenger: null, assistant: null }[role]
  const reply = await http.post<Completion>(`${modelUrl}/chat/completions`, {
    model: 'instant',
    messages: [
      { role: 'system', content: systemPrompts[role] },
      { role: 'user', content: user },
    ],
    ...(format === null ? {} : { response_format: { type: 'json_schema', json_schema: { name: format, schema: {} } } }),
  })
  const { prompt_tokens: input, completion_tokens: output } = reply.usage
  return { text: reply.choices[0]?.message.content ?? '', role, input, output }
}

interface Answer {
  readonly text: string
  readonly role: string
  readonly input: number
  readonly output: number
}

type Event = readonly [type: string, data: object]
const step = (name: string, detail: string | null = null): Event => ['PipelineStep', { step: name, detail }]

/**
 * Inserts a step's events and moves the session's counter; `more` are the step's other rows. One statement, one commit.
 */
function commit(
  name: string,
  {
    sessionId,
    turnId,
    events,
    values,
    more,
  }: { sessionId: string; turnId: string; events: readonly Event[]; values: readonly unknown[]; more: string },
): Promise<unknown> {
  const rows = JSON.stringify(events.map(([type, data]) => ({ type, data })))
  const text = `WITH s AS (UPDATE sessions SET last_seq = last_seq + $4::int, last_activity_at = now() WHERE id = $1 RETURNING last_seq),
    e AS (INSERT INTO events (session_id, seq, at, turn_id, type, data)
      SELECT $1, s.last_seq - $4::int + n, now(), $2, type, data FROM s, ROWS FROM (jsonb_to_recordset($3::jsonb) AS (type text, data jsonb)) WITH ORDINALITY AS e(type, data, n))
    ${more} SELECT last_seq FROM s`
  return pool.query({ name, text, values: [sessionId, turnId, rows, events.length, ...values] })
}

/** `, name AS (…)` for a model call, whose values begin at parameter `$at`. */
const callSql = (at: number, andSet = ''): string => `, c AS (
    INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)
    VALUES ($${at}, now(), 'MODEL_CALL', $1, $2, 'ada', 'floor', jsonb_build_object('role', $${at + 1}::text, 'provider', 'stub',
      'model', 'instant', 'status', 'OK', 'inputTokens', $${at + 2}::int, 'outputTokens', $${at + 3}::int, 'cachedTokens', 0,
      'cost', NULL, 'durationMs', 0))),
  u AS (UPDATE turns SET model_calls = model_calls + 1, input_tokens = input_tokens + $${at + 2},
    output_tokens = output_tokens + $${at + 3}${andSet} WHERE id = $2)`
const callValues = ({ role, input, output }: Answer): unknown[] => [newId('audit'), role, input, output]

/**
 * `, name AS (…)` for the audit's entry of a task's end or review, whose id and data are parameters `$at` and the next.
 */
const auditSql = (at: number, kind: 'TASK' | 'REVIEW'): string => `, a AS (
    INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)
    VALUES ($${at}, now(), '${kind}', $1, $2, 'ada', 'floor', $${at + 1}::jsonb))`
const auditValues = (data: object): unknown[] => [newId('audit'), JSON.stringify(data)]
const taskEntry = (taskId: string, taskType: string, detail = ''): object => ({
  taskId,
  taskType,
  detail,
  status: 'DONE',
  durationMs: 0,
  outputLength: 3,
})

async function accept(sessionId: string, content: string): Promise<{ turnId: string; messageId: string }> {
  const [turnId, messageId] = [newId('turn'), newId('message')]
  const text = `WITH s AS (INSERT INTO sessions (id, source_kind, source_interactive, connector, message_count, last_seq, last_message_preview)
      VALUES ($1, 'cli', true, 'floor', 1, 1, $4) ON CONFLICT (id) DO UPDATE SET last_seq = sessions.last_seq + 1,
        message_count = sessions.message_count + 1, last_message_preview = $4, last_activity_at = now() RETURNING last_seq),
    p AS (INSERT INTO participants (session_id, user_name) VALUES ($1, 'ada') ON CONFLICT DO NOTHING),
    m AS (INSERT INTO messages (id, session_id, seq, role, user_name, content, trusted, status, client, created_at)
      SELECT $3, $1, s.last_seq, 'USER', 'ada', $4, true, 'QUEUED', 'floor', now() FROM s),
    t AS (INSERT INTO turns (id, session_id, seq, message_id, user_name, created_at) SELECT $2, $1, s.last_seq, $3, 'ada', now() FROM s)
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
      SELECT $1, s.last_seq, now(), $2, 'MessageReceived', jsonb_build_object('messageId', $3::text) FROM s`
  await pool.query({ name: 'accept', text, values: [sessionId, turnId, messageId, content] })
  return { turnId, messageId }
}

async function runTurn(sessionId: string): Promise<void> {
  const { turnId, messageId } = await accept(sessionId, 'Say hi.')
  const at = { sessionId, turnId }
  await commit('begin', {
    ...at,
    events: [step('RECEIVED'), step('CONTEXT'), step('PLANNING', 'stub:instant')],
    values: [messageId],
    more: `, t AS (UPDATE turns SET status = 'RUNNING', started_at = now() WHERE id = $2), m AS (UPDATE messages SET status = 'PROCESSING' WHERE id = $5)`,
  })

  const planned = await complete('planner', 'Say hi.')
  const plan = JSON.parse(planned.text) as typeof GOOD_PLAN
  const [planId, execId, messageTaskId] = [newId('plan'), newId('task'), newId('task')]
  const [exec, message] = plan.tasks
  await commit('plan', {
    ...at,
    events: [
      step('PLANNED', '100 input tokens, 20 output tokens'),
      step('VALIDATION'),
      ['PlanCreated', { planId }],
      step('EXECUTING', '2 tasks'),
      ['TaskUpdate', { taskId: execId, status: 'RUNNING' }],
    ],
    values: [
      planId,
      plan.goal,
      execId,
      exec?.detail,
      exec?.expect,
      messageTaskId,
      message?.detail,
      ...callValues(planned),
    ],
    more: `, p AS (INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at) VALUES ($5, $1, $2, 1, $6, now())),
      k AS (INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, expect, status, started_at)
        VALUES ($7, $1, $2, $5, 0, 'EXEC', $8, $9, 'RUNNING', now()), ($10, $1, $2, $5, 1, 'MSG', $11, NULL, 'PENDING', NULL))${callSql(12)}`,
  })

  // Bash takes the socket on its standard input for a remote login and reads ~/.bashrc, whatever that does, unless told
  // not to.
  const { stdout } = await run('/bin/bash', ['--norc', '-c', exec?.detail ?? ''])
  await commit('ran', {
    ...at,
    events: [
      ['TaskOutput', { taskId: execId, stream: 'STDOUT', text: stdout }],
      ['TaskUpdate', { taskId: execId, status: 'DONE' }],
      step('REVIEWING', 'stub:instant'),
    ],
    values: [execId, stdout, ...auditValues(taskEntry(execId, 'EXEC', exec?.detail))],
    more: `, k AS (UPDATE tasks SET status = 'DONE', output = $6, stderr = '', exit_code = 0, finished_at = now()
      WHERE id = $5)${auditSql(7, 'TASK')}`,
  })

  const reviewed = await complete('reviewer', stdout)
  await commit('reviewed', {
    ...at,
    events: [
      ['Review', { taskId: execId, verdict: 'OK', reason: null }],
      ['TaskUpdate', { taskId: messageTaskId, status: 'RUNNING' }],
    ],
    values: [
      execId,
      messageTaskId,
      ...callValues(reviewed),
      ...auditValues({ taskId: execId, verdict: 'OK', hasLearning: false }),
    ],
    more: `, k AS (UPDATE tasks SET review_verdict = CASE WHEN id = $5 THEN 'OK'::review_verdict END,
      status = CASE WHEN id = $6 THEN 'RUNNING' ELSE status END, started_at = coalesce(started_at, now()) WHERE id IN ($5, $6))${callSql(7)}${auditSql(11, 'REVIEW')}`,
  })

  const written = await complete('messenger', stdout)
  await commit('answered', {
    ...at,
    events: [
      step('DELIVERING'),
      ['TextCompleted', { taskId: messageTaskId, content: written.text, final: true, attempt: 1 }],
      ['TaskUpdate', { taskId: messageTaskId, status: 'DONE' }],
      step('COMPLETE', 'DONE'),
      ['TurnCompleted', { status: 'DONE', commandsHandled: [], durationMs: 0, usage: {}, failure: null }],
    ],
    values: [
      messageTaskId,
      written.text,
      messageId,
      ...callValues(written),
      ...auditValues(taskEntry(messageTaskId, 'MSG', message?.detail)),
    ],
    more: `, k AS (UPDATE tasks SET status = 'DONE', output = $6, final = true, finished_at = now() WHERE id = $5),
      m AS (UPDATE messages SET status = 'DONE' WHERE id = $7)${callSql(8, ", status = 'DONE', finished_at = now()")}${auditSql(12, 'TASK')}`,
  })
}

/** A conversation's turn: one answer of the model, or a call of a tool and then an answer. */
async function runChat(sessionId: string, withTool: boolean): Promise<void> {
  const { turnId, messageId } = await accept(sessionId, withTool ? 'Use a tool.' : 'Say hi.')
  const at = { sessionId, turnId }
  await commit('begin-chat', {
    ...at,
    events: [step('RECEIVED'), step('CONTEXT'), step('ANSWERING', 'stub:instant')],
    values: [messageId],
    more: `, t AS (UPDATE turns SET status = 'RUNNING', started_at = now() WHERE id = $2), m AS (UPDATE messages SET status = 'PROCESSING' WHERE id = $5)`,
  })
  const [planId, execId, messageTaskId] = [newId('plan'), newId('task'), newId('task')]
  const planSql = `, p AS (INSERT INTO plans (id, session_id, turn_id, attempt, goal, created_at) VALUES ($5, $1, $2, 1, 'Answer', now()))`
  if (withTool) {
    const called = await complete('assistant', 'Say hi.')
    await commit('called', {
      ...at,
      events: [
        ['PlanCreated', { planId }],
        ['TaskUpdate', { taskId: execId, status: 'RUNNING' }],
      ],
      values: [planId, execId, ...callValues(called)],
      more: `${planSql}, k AS (INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status, started_at)
        VALUES ($6, $1, $2, $5, 0, 'EXEC', 'echo hi', 'RUNNING', now()))${callSql(7)}`,
    })
    const { stdout } = await run('/bin/bash', ['--norc', '-c', 'echo hi'])
    await commit('made', {
      ...at,
      events: [
        ['TaskOutput', { taskId: execId, stream: 'STDOUT', text: stdout }],
        ['TaskUpdate', { taskId: execId, status: 'DONE' }],
        step('ANSWERING', 'stub:instant'),
      ],
      values: [execId, stdout, ...auditValues(taskEntry(execId, 'EXEC', 'echo hi'))],
      more: `, k AS (UPDATE tasks SET status = 'DONE', output = $6, stderr = '', exit_code = 0, finished_at = now()
        WHERE id = $5)${auditSql(7, 'TASK')}`,
    })
  }
  const written = await complete('assistant', 'Say hi.')
  await commit(withTool ? 'said-after' : 'said', {
    ...at,
    events: [
      ...(withTool ? [] : [['PlanCreated', { planId }] as const]),
      step('DELIVERING'),
      ['TextCompleted', { taskId: messageTaskId, content: written.text, final: true, attempt: 1 }],
      ['TaskUpdate', { taskId: messageTaskId, status: 'DONE' }],
      step('COMPLETE', 'DONE'),
      ['TurnCompleted', { status: 'DONE', commandsHandled: [], durationMs: 0, usage: {}, failure: null }],
    ],
    values: [
      planId,
      messageTaskId,
      written.text,
      messageId,
      ...callValues(written),
      ...auditValues(taskEntry(messageTaskId, 'MSG')),
    ],
    more: `${withTool ? '' : planSql}, k AS (INSERT INTO tasks (id, session_id, turn_id, plan_id, index, type, detail, status, output, final,
        started_at, finished_at) VALUES ($6, $1, $2, $5, 1, 'MSG', '', 'DONE', $7, true, now(), now())),
      m AS (UPDATE messages SET status = 'DONE' WHERE id = $8)${callSql(9, ", status = 'DONE', finished_at = now()")}${auditSql(13, 'TASK')}`,
  })
}

const functions = {
  /** `databaseUrl`: an empty database. */
  prepare: async (at: { databaseUrl: string; modelUrl: string }) => {
    await pool.end()
    const logger = createLogger({ level: 'warn', pretty: false })
    await migrate(at.databaseUrl, { logger, clock: systemClock })
    pool = new pg.Pool({ connectionString: at.databaseUrl, max: MAX_CONNECTIONS })
    modelUrl = at.modelUrl
  },
  /**
   * Runs the turns of each session one after another, the sessions side by side; how long each turn and all of it took.
   */
  runTurns: async ({
    sessionIds,
    turns,
    kind = 'plan',
  }: {
    sessionIds: readonly string[]
    turns: number
    kind?: 'plan' | 'chat' | 'chat with a tool'
  }) => {
    const startedMs = performance.now()
    const latenciesMs: number[] = []
    await Promise.all(
      sessionIds.map(async (sessionId) => {
        for (let turn = 0; turn < turns; turn += 1) {
          const beganMs = performance.now()
          await (kind === 'plan' ? runTurn(sessionId) : runChat(sessionId, kind === 'chat with a tool'))
          latenciesMs.push(performance.now() - beganMs)
        }
      }),
    )
    return { latenciesMs, totalMs: performance.now() - startedMs }
  },
}
export type FloorApi = typeof functions

serveParent(functions, () => pool.end())
