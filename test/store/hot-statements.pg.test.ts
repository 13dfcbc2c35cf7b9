/**
 * The statements of the way that every message takes: accept, begin, commit. Each is rendered as PostgreSQL gets it,
 * and kept formatted beside its source; and each is planned for any values, as a prepared statement is, in a filled
 * database, where it must find its rows by indexes.
 */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TO_JUDGE } from '../../src/knowledge/learnings/enter-learning.ts'
import { format } from 'sql-formatter'
import type { TurnWrite } from '../../src/core/turn-write.ts'
import { must } from '../../src/platform/must.ts'
import { acceptMessage, storeMessage, type IncomingMessage } from '../../src/store/intake/accept-message.ts'
import { dropCheckpoint, renewCheckpoints } from '../../src/store/knowledge/checkpoints.ts'
import { beginTurn, takeSession } from '../../src/store/turn/begin-turn.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { recordStatements } from '../contract/record-statements.ts'
import { fillFacts, fillSession } from '../harness/long-history.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { modelCall } from '../worker/model-call.ts'

const at = new Date('2026-01-02T03:04:05.678Z')
const limits = { summarizeThreshold: 30, maxRunningPerUser: 4 }
const SESSION = 'cli:s7'

const access = { all: true, userName: null, tokenName: 'cli', opener: 'cli', mustHaveOpened: false }
const message: IncomingMessage = {
  id: 'msg_new',
  sessionId: SESSION,
  role: 'USER',
  userName: 'ada',
  trusted: true,
  mentioned: false,
  content: 'Say hi.',
  preview: 'Say hi.',
  client: 'cli',
  idempotencyKey: 'k',
  createdAt: at,
  at,
  joins: true,
  attachments: [],
  call: null,
}
const options = {
  message,
  turn: {
    id: 'turn_new',
    maxQueued: 10,
    startsIn: { DIRECT: true, GROUP: false },
    collectWindowMs: 0,
    interrupts: 'OWN',
    mode: null,
  },
  source: { kind: 'cli', interactive: true, platform: null, triggerId: null, type: 'DIRECT' },
  maxSessions: 1000,
  openingMode: 'PLAN',
} as const
const begins = { ...options, turn: { ...options.turn, start: { node: 1, limits } } }

const lease = { sessionId: SESSION, node: 1, epoch: 1 }
const turn = { id: 'turn_new', seq: 1, messageId: 'msg_new' }
const task = { id: 'task_new', planId: 'plan_new', index: 0, type: 'EXEC', detail: 'true', skill: null } as const
const norm = { content: 'a', norm: 'a' }

/** What a turn writes in the middle of a plan. */
const step = {
  events: [{ at, turnId: turn.id, body: { type: 'PipelineStep', step: 'CONTEXT', detail: null } }],
  step: 'CONTEXT',
  plans: [{ id: 'plan_new', attempt: 1, goal: 'g', replanReason: null, secretNames: [], createdAt: at }],
  tasks: [{ ...task, args: null, expect: null, patch: {} }],
  taskPatches: new Map([['task_old', { status: 'DONE' }]]),
  callTexts: [{ id: 'aud_call', at, system: 's', sharedSha256: hash('sha256', 's'), prompt: 'p', answer: 'a' }],
  modelCalls: [modelCall(at)],
  dropDeltasOf: ['task_old'],
  learnings: [{ id: 'learning_new', taskId: 'task_new', ...norm, createdAt: at, entry: TO_JUDGE }],
  factsShown: ['fact_1'],
  factsUsed: ['fact_1'],
  questionsAsked: ['question_1'],
  answers: [
    {
      questionId: 'question_1',
      answer: 'because',
      byAdmin: true,
      learningIds: [],
      learning: null,
      changeId: 'chg_1',
      at,
    },
  ],
  messageTexts: [{ id: 'msg_new', content: 'changed', paraphrase: 'other' }],
  preview: { wasSha256: ['00'], now: 'changed' },
  deliveries: [{ id: 'delivery_1', taskId: 'task_new', final: true, createdAt: at }],
  files: [
    {
      id: 'pub_1',
      taskId: 'task_new',
      name: 'a',
      size: 1,
      contentType: 'text/plain',
      userName: 'ada',
      createdAt: at,
      expiresAt: null,
    },
  ],
  audit: [
    {
      at,
      sessionId: SESSION,
      turnId: turn.id,
      actor: 'ada',
      tokenName: 'cli',
      body: { kind: 'REVIEW', taskId: 'task_new', verdict: 'OK', hasLearning: false },
    },
  ],
} satisfies TurnWrite
const pause = {
  events: step.events,
  hostDied: true,
  pluginWork: { sections: [], commands: [] },
  providerState: {
    provider: 'p',
    model: 'm',
    responseId: 'resp_1',
    turnId: 'turn_1',
    round: 1,
    isOpen: true,
    userName: 'ada',
    role: 'ADMIN',
    reach: ['GLOBAL '],
  },
  approvals: [
    {
      id: 'approval_1',
      taskId: 'task_new',
      kind: 'TASK',
      fingerprint: 'f',
      reason: 'a rule',
      createdAt: at,
      expiresAt: at,
    },
  ],
  delegations: [
    {
      id: 'delegation_1',
      taskId: 'task_new',
      tokenName: 'cli',
      messageId: 'message_1',
      depth: 1,
      share: 0.5,
      tools: ['*'],
      strangers: false,
      mode: 'PLAN',
      task: 'Look it up.',
      expect: 'A number.',
      createdAt: at,
      expiresAt: at,
    },
  ],
  pause: { reason: 'An approval.', at, until: at, forApproval: true },
} satisfies TurnWrite
const failure = { events: step.events, failure: { text: 'It failed.', detail: 'No route.' } } satisfies TurnWrite
const finish = {
  events: step.events,
  curations: [
    {
      learningId: 'learning_old',
      by: 'curator',
      status: 'PROMOTED',
      reason: null,
      flags: [],
      repeatsFactId: null,
      repeatsLearningId: null,
      replaces: null,
      isRetry: false,
      changeId: 'chg_1',
      questionId: null,
      at,
      fact: { id: 'fact_new', ...norm },
      question: null,
    },
  ],
  curationDue: true,
  summary: { text: 'short', fromSeq: 0, toSeq: 1 },
  settledApprovals: [{ id: 'approval_1', status: 'CANCELLED', at }],
  delegationSteps: [
    { id: 'delegation_1', status: 'DONE', round: 1, messageId: 'message_1', feedback: null, failure: null, at },
  ],
  finish: {
    status: 'DONE',
    failure: null,
    at,
    joined: [{ turnId: 'turn_joined', messageId: 'msg_joined', status: 'QUEUED' }],
    endsActivity: true,
  },
} satisfies TurnWrite
/** A part that is added to `TurnWrite` does not compile until one of the four has it. */
const WRITES: Required<TurnWrite> = { ...step, ...pause, ...failure, ...finish }

let world: World
beforeAll(async () => {
  world = await createWorld()
  const run = (sql: string, values: readonly unknown[]): Promise<unknown> => world.sql(sql, ...values)
  await world.sql(
    `INSERT INTO sessions (id, source_kind, source_interactive, last_seq, last_activity_at, owner)
     SELECT 'cli:s' || n, 'cli', true, 0, now(), CASE n WHEN 7 THEN 1 END FROM generate_series(1, 4000) n`,
  )
  for (let n = 0; n < 20; n++) await fillSession(run, { id: `cli:long${n}`, turns: 100 })
  await world.sql(
    `INSERT INTO participants (session_id, user_name, joined_at)
     SELECT id, name, now() FROM sessions, unnest(ARRAY['ada', 'bob']) name`,
  )
  // Their terms are stored with them: thousands at once would take longer than a statement may.
  for (let n = 0; n < 20; n++)
    await world.sql(
      `INSERT INTO learnings (id, session_id, turn_id, task_id, user_name, content, norm, created_at)
       SELECT 'learning_' || id, 'cli:s' || row_number() OVER (), turn_id, id, 'ada', id, id, now() FROM tasks
       WHERE index = 0 AND session_id = $1`,
      `cli:long${n}`,
    )
  await world.sql(
    `INSERT INTO questions (id, content, norm, session_id, source, created_at)
     SELECT 'question_' || n, n, n, 'cli:s' || n, 'CURATOR', now() FROM generate_series(1, 2000) n`,
  )
  await world.sql(
    `INSERT INTO uploaded_files (id, session_id, name, size, content_type, user_name, by_admin, created_at)
     SELECT 'upload_' || id, id, 'a', 1, 'text/plain', 'ada', true, now() FROM sessions`,
  )
  await world.sql(
    `INSERT INTO checkpoints (session_id, reason, ready_at) SELECT id, 'IDLE', now() + interval '1 day' FROM sessions`,
  )
  await world.sql(`INSERT INTO question_askings (question_id, session_id) SELECT id, session_id FROM questions`)
  await world.sql(
    `INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, status, reason, created_at, expires_at)
     SELECT 'approval_' || id, session_id, turn_id, id, 'ada', 'TASK', 'APPROVED', '', now(), now() FROM tasks`,
  )
  await world.sql(
    `INSERT INTO delegations (id, session_id, turn_id, task_id, user_name, depth, share, strangers, mode, task, expect,
       status, created_at, expires_at)
     SELECT 'delegation_' || id, session_id, turn_id, id, 'ada', 1, 1, false, 'CHAT', '', '', 'DONE', now(), now() FROM tasks`,
  )
  await fillFacts(run, 1, 2000)
  await world.sql('ANALYZE')
})
afterAll(() => world[Symbol.asyncDispose]())

type Send = (world: World) => Promise<unknown>
const commit =
  (write: TurnWrite): Send =>
  ({ context }) =>
    commitTurn(context.database, { lease: { ...lease, epoch: 99 }, turn }, write).catch((error: unknown) => error)

const STATEMENTS: Readonly<Record<string, Send>> = {
  'intake/rendered/accept': ({ context }) => acceptMessage(context.database, access, options),
  'intake/rendered/accept-there': ({ context }) =>
    acceptMessage(context.database, access, { ...options, mayOpen: false }),
  'intake/rendered/accept-and-begin': ({ context }) => acceptMessage(context.database, access, begins),
  'intake/rendered/accept-and-begin-there': ({ context }) =>
    acceptMessage(context.database, access, { ...begins, mayOpen: false }),
  'intake/rendered/store': ({ context }) => storeMessage(context.database, access, message),
  'turn/rendered/begin': ({ context }) => beginTurn(context.database, lease, { at, limits }),
  'turn/rendered/take': ({ context }) => takeSession(context.database, { sessionId: SESSION, node: 1 }, { at, limits }),
  'turn/rendered/commit-step': commit(step),
  'turn/rendered/commit-pause': commit(pause),
  'turn/rendered/commit-failure': commit(failure),
  'turn/rendered/commit-finish': commit(finish),
}

describe.each(Object.entries(STATEMENTS))('%s', (name, send) => {
  test('is one statement, kept as it is sent, that reads no large table whole', async () => {
    const [text = '', ...more] = await recordStatements(() => send(world))
    expect(more).toEqual([])
    await expect(formatted(text)).toMatchFileSnapshot(`../../src/store/${name}.sql`)
    expect(await readWhole(text)).toEqual([])
  })
})

test('what keeps and ends a checkpoint reads no large table whole, however many are due', async () => {
  const { database } = world.context
  const held = { sessionId: SESSION, runId: 'none' }
  const texts = await recordStatements(async () => {
    await renewCheckpoints(database, [held])
    await dropCheckpoint(database, held)
  })
  expect(texts).toHaveLength(2)
  for (const text of texts) expect(await readWhole(text)).toEqual([])
})

test('a statement that reads a large table whole would be seen', async () => {
  const text = `WITH found AS (SELECT id FROM turns WHERE failure = $1) UPDATE tasks SET output = NULL FROM found
    WHERE tasks.detail = found.id`
  expect((await readWhole(text)).toSorted()).toEqual(['tasks', 'turns'])
})

test('the writes that are rendered have every part', () => {
  expect(Object.values(WRITES).filter((part) => part === undefined)).toEqual([])
})

/** All but these grow with use. */
const SMALL = new Set(['nodes', 'plugins', 'consolidation_state'])

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** The large tables that the statement's generic plan scans from end to end. */
async function readWhole(text: string): Promise<string[]> {
  const [row] = await world.sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`)
  return must(row, 'EXPLAIN answers')['QUERY PLAN'].flatMap(({ Plan }) => seqScans(Plan))
}

function seqScans(node: PlanNode): string[] {
  const table = node['Relation Name']
  const isWhole = node['Node Type'] === 'Seq Scan' && table !== undefined && !SMALL.has(table)
  return [...(isWhole ? [table] : []), ...(node.Plans ?? []).flatMap(seqScans)]
}

function formatted(text: string): string {
  return `${format(text, { language: 'postgresql', keywordCase: 'preserve', expressionWidth: 110 })}\n`
}
