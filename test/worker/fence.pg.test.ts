/**
 * The fence: a commit under a lost lease writes no row of any table, whatever part of a `TurnWrite` it carries. Every
 * part is tried alone, under an old epoch and under another owner, and then under the lease: there it must change
 * something, or the test would prove nothing.
 */
import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOTHING } from '../../src/knowledge/curate.ts'
import { TO_JUDGE } from '../../src/knowledge/learnings/enter-learning.ts'
import type { TurnWrite } from '../../src/core/turn-write.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { beginTurn, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { modelCall } from './model-call.ts'

const SESSION = 'cli:fenced'
const at = new Date('2026-01-02T03:04:05.678Z')
const later = new Date('2100-01-02T03:04:05.678Z')
const PREVIEW = 'hello'
const PREVIEW_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'
const call = modelCall(at)
const SHARED_PROMPT = { system: 's', sharedSha256: hash('sha256', 's') }

/**
 * What is there before: a running turn with a joined one, a plan, a task, an open approval, a text piece in the log, a
 * webhook.
 */
interface Filled {
  readonly world: World
  readonly lease: Lease
  readonly turn: OpenTurn
  readonly planId: string
  readonly taskId: string
  readonly approvalId: string
  readonly delegationId: string
  readonly learningIds: readonly [string, string]
  readonly questionId: string
  readonly askedOfAll: string
  readonly factId: string
  readonly joined: { readonly turnId: string; readonly messageId: string }
}

type Part = keyof TurnWrite

/** The table that each part writes under the lease. */
const TABLES: Record<Part, string> = {
  events: 'events',
  step: 'turns',
  plans: 'plans',
  tasks: 'tasks',
  taskPatches: 'tasks',
  modelCalls: 'turns',
  dropDeltasOf: 'events',
  learnings: 'learnings',
  curationDue: 'curation_jobs',
  curations: 'learnings facts fact_versions questions audit_entries',
  factsShown: 'turn_facts',
  factsUsed: 'fact_uses',
  questionsAsked: 'question_askings',
  answers: 'questions audit_entries',
  messageTexts: 'messages',
  preview: 'sessions',
  summary: 'sessions',
  deliveries: 'deliveries',
  files: 'published_files',
  audit: 'audit_entries',
  callTexts: 'model_call_texts system_prompts',
  pause: 'sessions turns',
  approvals: 'approvals sessions turns',
  settledApprovals: 'approvals audit_entries sessions',
  delegations: 'delegations',
  delegationSteps: 'delegations',
  failure: 'turns',
  hostDied: 'turns',
  pluginWork: 'turns',
  providerState: 'sessions',
  finish: 'sessions turns messages',
}

/** Each part of a write alone. A part that is added to `TurnWrite` does not compile until it stands here. */
const PARTS: Record<Part, (filled: Filled) => TurnWrite> = {
  events: ({ turn }) => ({
    events: [{ at, turnId: turn.id, body: { type: 'PipelineStep', step: 'CONTEXT', detail: null } }],
  }),
  step: () => only({ step: 'PARAPHRASE' }),
  plans: () =>
    only({
      plans: [{ id: newId('plan'), attempt: 2, goal: 'g', replanReason: null, secretNames: [], createdAt: at }],
    }),
  tasks: ({ planId }) => only({ tasks: [{ ...task(newId('task'), planId), index: 1 }] }),
  taskPatches: ({ taskId }) => only({ taskPatches: new Map([[taskId, { status: 'DONE', output: 'x' }]]) }),
  modelCalls: () => only({ modelCalls: [call] }),
  dropDeltasOf: ({ taskId }) => only({ dropDeltasOf: [taskId] }),
  learnings: ({ planId }) => ({
    events: [],
    tasks: [{ ...task('task_taught', planId), index: 2 }],
    learnings: [
      { id: newId('learning'), taskId: 'task_taught', content: 'a', norm: 'a', createdAt: at, entry: TO_JUDGE },
    ],
  }),
  curationDue: () => only({ curationDue: true }),
  curations: ({ learningIds: [promoted, asked] }) =>
    only({
      curations: [
        {
          learningId: promoted,
          ...NOTHING,
          changeId: 'chg_1',
          status: 'PROMOTED',
          reason: null,
          at,
          fact: { id: newId('fact'), content: 'new', norm: 'new' },
          question: null,
        },
        {
          learningId: asked,
          ...NOTHING,
          changeId: 'chg_1',
          status: 'ASKED',
          reason: null,
          at,
          fact: null,
          question: { id: newId('question'), content: 'why?', norm: 'why', factIds: [] },
        },
      ],
    }),
  factsShown: ({ factId }) => only({ factsShown: [factId] }),
  factsUsed: ({ factId }) => only({ factsUsed: [factId] }),
  questionsAsked: ({ askedOfAll }) => only({ questionsAsked: [askedOfAll] }),
  answers: ({ questionId }) =>
    only({
      answers: [
        { questionId, answer: 'because', byAdmin: true, learningIds: [], learning: null, changeId: 'chg_1', at },
      ],
    }),
  messageTexts: ({ turn }) => only({ messageTexts: [{ id: turn.messageId, content: 'changed', paraphrase: 'other' }] }),
  preview: () => only({ preview: { wasSha256: [PREVIEW_SHA256], now: 'changed' } }),
  summary: () => only({ summary: { text: 'short', fromSeq: 0, toSeq: 1 } }),
  deliveries: ({ taskId }) => only({ deliveries: [{ id: newId('delivery'), taskId, final: true, createdAt: at }] }),
  files: ({ taskId }) =>
    only({
      files: [
        {
          id: 'pub_1',
          taskId,
          name: 'a',
          size: 1,
          contentType: 'text/plain',
          userName: 'alice',
          createdAt: at,
          expiresAt: null,
        },
      ],
    }),
  callTexts: () => only({ callTexts: [{ id: newId('audit'), at, ...SHARED_PROMPT, prompt: 'p', answer: null }] }),
  audit: ({ turn }) =>
    only({
      audit: [
        {
          at,
          sessionId: SESSION,
          turnId: turn.id,
          actor: 'alice',
          tokenName: 'cli',
          body: { kind: 'REVIEW', taskId: 't', verdict: 'OK', hasLearning: false },
        },
      ],
    }),
  pause: () => only({ pause: { reason: 'The budget is used up.', at, until: later } }),
  approvals: () =>
    only({
      approvals: [
        {
          id: newId('approval'),
          taskId: 'task_other',
          kind: 'TASK',
          fingerprint: null,
          reason: 'a rule',
          createdAt: at,
          expiresAt: later,
        },
      ],
      pause: { reason: 'An approval.', at, until: later, forApproval: true },
    }),
  settledApprovals: ({ approvalId }) => only({ settledApprovals: [{ id: approvalId, status: 'CANCELLED', at }] }),
  delegations: () =>
    only({
      delegations: [
        {
          id: newId('delegation'),
          taskId: 'task_other',
          tokenName: 'cli',
          messageId: newId('message'),
          depth: 1,
          share: 0.5,
          tools: ['*'],
          strangers: false,
          mode: 'PLAN',
          task: 'Look it up.',
          expect: 'A number.',
          createdAt: at,
          expiresAt: later,
        },
      ],
    }),
  delegationSteps: ({ delegationId: id }) =>
    only({
      delegationSteps: [
        { id, status: 'CANCELLED', round: 1, messageId: 'message_1', feedback: null, failure: 'It ended.', at },
      ],
    }),
  failure: () => only({ failure: { text: 'It failed.', detail: 'No route.' } }),
  hostDied: () => only({ hostDied: true }),
  providerState: ({ turn }) =>
    only({
      providerState: {
        provider: 'p',
        model: 'm',
        responseId: 'resp_1',
        turnId: turn.id,
        round: 1,
        isOpen: false,
        userName: 'ada',
        role: 'ADMIN',
        reach: ['GLOBAL '],
      },
    }),
  pluginWork: () => only({ pluginWork: { sections: [], commands: [] } }),
  finish: ({ joined }) =>
    only({ finish: { status: 'DONE', failure: null, at, joined: [{ ...joined, status: 'DONE' }] } }),
}

let filled: Filled
beforeEach(async () => {
  filled = await fill()
})
afterEach(() => filled.world[Symbol.asyncDispose]())

describe.each(Object.entries(PARTS))('a write with %s', (part, writeOf) => {
  test('changes no row under an old epoch or another owner, and does under the lease', async () => {
    const { world, lease, turn } = filled
    const { database } = world.context
    const before = await allRows(world)
    const lost: readonly Lease[] = [
      { ...lease, epoch: lease.epoch - 1 },
      { ...lease, epoch: lease.epoch + 1 },
      { ...lease, node: lease.node + 1 },
    ]
    for (const stale of lost) {
      const late = commitTurn(database, { lease: stale, turn }, writeOf(filled))
      await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' })
      expect(await allRows(world)).toEqual(before)
    }
    await commitTurn(database, { lease, turn }, writeOf(filled))
    const after = await allRows(world)
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    expect(changed).toEqual(expect.arrayContaining(TABLES[part as Part].split(' ').map((table) => `public.${table}`)))
  })
})

async function fill(): Promise<Filled> {
  const world = await createWorld()
  const { database } = world.context
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: PREVIEW })
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'and this' })
  const lease = must((await claimSessions(database, 1, { limit: 1, held: [] }))[0], 'there is work')
  const limits = { summarizeThreshold: 30, maxRunningPerUser: 1000 }
  const begun = await beginTurn(database, lease, { at, limits })
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  const { turn } = begun
  const [planId, taskId, approvalId] = [newId('plan'), newId('task'), newId('approval')]
  const learningIds = [newId('learning'), newId('learning')] as const
  const delta = { type: 'TextDelta', taskId, delta: 'he' } as const
  await commitTurn(
    database,
    { lease, turn },
    {
      events: [{ at, turnId: turn.id, body: delta }],
      plans: [{ id: planId, attempt: 1, goal: 'g', replanReason: null, secretNames: [], createdAt: at }],
      tasks: [task(taskId, planId), { ...task('task_other', planId), index: 3 }],
      learnings: [
        { id: learningIds[0], taskId, content: 'one', norm: 'one', createdAt: at, entry: TO_JUDGE },
        { id: learningIds[1], taskId: 'task_other', content: 'two', norm: 'two', createdAt: at, entry: TO_JUDGE },
      ],
    },
  )
  // Becoming due again, it has failed no more.
  await world.sql('UPDATE curation_jobs SET failures = 1')
  const [factId, questionId] = [newId('fact'), newId('question')]
  await world.sql(
    `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ($1, 'f', 'f', 'MANUAL', now(), now())`,
    factId,
  )
  await world.sql(
    `INSERT INTO questions (id, content, norm, session_id, source, created_at) VALUES ($1, 'q', 'q', $2, 'CURATOR', now())`,
    questionId,
    SESSION,
  )
  await world.sql(
    `INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, reason, created_at, expires_at)
      VALUES ($1, $2, $3, $4, 'alice', 'TASK', 'r', now(), now() + interval '1 hour')`,
    approvalId,
    SESSION,
    turn.id,
    taskId,
  )
  await world.sql(
    `UPDATE sessions SET webhook = 'https://example.org/', webhook_token = 'hub', last_message_preview = $1, open_approvals = 1`,
    PREVIEW,
  )
  const [joined] = await world.sql<{ turnId: string; messageId: string }>(
    `UPDATE turns SET status = 'JOINED', joined_into = $1 WHERE id <> $1 RETURNING id AS "turnId", message_id AS "messageId"`,
    turn.id,
  )
  const delegationId = newId('delegation')
  await world.sql(
    `INSERT INTO delegations (id, session_id, turn_id, task_id, user_name, token_name, depth, share, tools, strangers, mode, task,
        expect, message_id, created_at, expires_at)
      VALUES ($1, $2, $3, $4, 'alice', 'cli', 1, 1, '{*}', false, 'PLAN', 't', 'e', 'message_1', now(), now())`,
    delegationId,
    SESSION,
    turn.id,
    taskId,
  )
  const askedOfAll = newId('question')
  await world.sql(
    `INSERT INTO questions (id, content, norm, source, created_at) VALUES ($1, 'all', 'all', 'ADMIN', now())`,
    askedOfAll,
  )
  const ids = { askedOfAll, planId, taskId, approvalId, delegationId, learningIds, questionId, factId }
  return { world, lease, turn, ...ids, joined: must(joined, 'the second message has a turn') }
}

function only(changes: Omit<TurnWrite, 'events'>): TurnWrite {
  return { events: [], ...changes }
}

function task(id: string, planId: string) {
  const rest = { detail: 'true', skill: null, args: null, expect: null, patch: {} }
  return { id, planId, index: 0, type: 'EXEC', ...rest } as const
}

/** Every table of the catalogue with a hash of its rows, so that a new table is covered without being named. */
async function allRows(world: World): Promise<Record<string, string>> {
  const tables = await world.sql<{ name: string }>(
    `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  )
  const rows: Record<string, string> = {}
  for (const { name } of tables) {
    const [found] = await world.sql<{ hash: string }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS hash FROM ${name} t`,
    )
    rows[name] = must(found, 'an aggregate has one row').hash
  }
  return rows
}
