/** What a turn writes besides its plan: knowledge, deliveries, files, audit entries, and that it waits. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NOTHING } from '../../src/knowledge/curate.ts'
import { TO_JUDGE } from '../../src/knowledge/learnings/enter-learning.ts'
import type { Curation, TurnWrite } from '../../src/core/turn-write.ts'
import { cancelTurn } from '../../src/intake/message/cancel-turn.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { newId } from '../../src/platform/id.ts'
import { must } from '../../src/platform/must.ts'
import { beginTurn, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import { makeReady } from '../../src/store/turn/paused-turns.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'

const SESSION = 'cli:demo'
const at = new Date('2026-01-02T03:04:05.678Z')

let world: World
let lease: Lease
let turn: OpenTurn
let taskId: string

const write = (changes: Omit<TurnWrite, 'events'>) =>
  commitTurn(world.context.database, { lease, turn }, { events: [], ...changes })

async function begin(): Promise<void> {
  lease = must((await claimSessions(world.context.database, 1, { limit: 1, held: [] }))[0], 'there is work')
  const begun = await beginTurn(world.context.database, lease, {
    at,
    limits: { summarizeThreshold: 30, maxRunningPerUser: 1000 },
  })
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  turn = begun.turn
}

beforeEach(async () => {
  world = await createWorld()
  await sendMessage(world.context, world.as('alice'), { sessionId: SESSION, content: 'hello' })
  await begin()
  const planId = newId('plan')
  taskId = newId('task')
  const task = {
    id: taskId,
    planId,
    index: 0,
    type: 'SKILL',
    detail: 'look it up',
    expect: 'found',
    patch: {},
  } as const
  await write({
    plans: [{ id: planId, attempt: 1, goal: 'g', replanReason: null, secretNames: ['KEY'], createdAt: at }],
    tasks: [{ ...task, skill: 'search', args: { query: 'x', limit: 3 } }],
  })
})

afterEach(() => world[Symbol.asyncDispose]())

describe('learnings', () => {
  const learn = async (): Promise<string> => {
    const id = newId('learning')
    await write({
      learnings: [{ id, taskId, content: 'Port 80 is open.', norm: 'port 80 is open', createdAt: at, entry: TO_JUDGE }],
    })
    return id
  }
  const promotion = (learningId: string): Curation => ({
    learningId,
    ...NOTHING,
    changeId: 'chg_1',
    status: 'PROMOTED',
    reason: 'verified',
    at,
    question: null,
    fact: { id: newId('fact'), content: 'Port 80 is open.', norm: 'port 80 is open' },
  })

  test('are stored with whom they came from; one per task', async () => {
    await learn()
    await learn()
    expect(await world.sql('SELECT user_name, status, task_id, turn_id FROM learnings')).toEqual([
      { user_name: 'alice', status: 'PENDING', task_id: taskId, turn_id: turn.id },
    ])
  })

  test('are decided once: a second verdict makes no second fact', async () => {
    const id = await learn()
    await write({ curations: [promotion(id)] })
    await write({ curations: [promotion(id)] })
    const [fact] = await world.sql('SELECT id, content, source, session_id, version FROM facts')
    expect(fact).toMatchObject({ content: 'Port 80 is open.', source: 'CURATOR', session_id: SESSION, version: 1 })
    expect(await world.sql('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 1 }])
    // Only what came about is audited.
    const audit = `SELECT data->>'change' AS change FROM audit_entries WHERE actor = 'curator' AND turn_id = $1 ORDER BY pos`
    expect(await world.sql(audit, turn.id)).toEqual([{ change: 'PROMOTED' }, { change: 'CREATED' }])
    expect(await world.sql('SELECT version, change, changed_by FROM fact_versions')).toEqual([
      { version: 1, change: 'CREATED', changed_by: 'curator' },
    ])
    expect(await world.sql('SELECT status, fact_id, decided_by, reason FROM learnings')).toEqual([
      { status: 'PROMOTED', fact_id: fact?.['id'], decided_by: 'curator', reason: 'verified' },
    ])
  })

  test('become questions, which a message answers', async () => {
    const id = await learn()
    const question = { id: newId('question'), content: 'Is it?', norm: 'is it', factIds: [] }
    await write({
      curations: [
        { learningId: id, ...NOTHING, changeId: 'chg_1', status: 'ASKED', reason: null, at, fact: null, question },
      ],
    })
    const entry = { ...TO_JUDGE, source: 'ANSWER' } as const
    const given = {
      byAdmin: false,
      changeId: 'chg_2',
      learningIds: [],
      learning: { id: newId('learning'), content: 'Yes.', norm: 'yes', entry },
    }
    await write({ answers: [{ questionId: question.id, answer: 'Yes.', ...given, at }] })
    await write({ answers: [{ questionId: question.id, answer: 'No.', ...given, at }] })
    expect(await world.sql('SELECT session_id, source, status, answer, resolved_by FROM questions')).toEqual([
      { session_id: SESSION, source: 'CURATOR', status: 'RESOLVED', answer: 'Yes.', resolved_by: 'alice' },
    ])
    expect(await world.sql('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 0 }])
    // With it the learning is settled, and the answer is one of its own.
    expect(await world.sql('SELECT source, status, user_name, decided_by FROM learnings ORDER BY id')).toMatchObject([
      { source: 'REVIEW', status: 'ANSWERED', decided_by: 'alice' },
      { source: 'ANSWER', status: 'PENDING', user_name: 'alice', decided_by: null },
    ])
  })

  test('that one answer of the curator asks the same about share one question, while it is open', async () => {
    const [first, second] = [await learn(), newId('learning')]
    await world.sql(
      `INSERT INTO learnings (id, session_id, turn_id, content, norm, created_at)
       SELECT $2, session_id, turn_id, 'Port 81 is open.', 'port 81 is open', now() FROM learnings WHERE id = $1`,
      first,
      second,
    )
    const question = { id: newId('question'), content: 'Is it?', norm: 'is it', factIds: [] }
    const asked = { ...NOTHING, changeId: 'chg_1', status: 'ASKED', reason: null, at } as const
    const joins = { ...asked, learningId: second, questionId: question.id }
    const both = [{ ...asked, learningId: first, question }, joins]
    const STATES = 'SELECT status, question_id FROM learnings ORDER BY id'
    await world.sql(`UPDATE learnings SET status = 'DISCARDED' WHERE id = $1`, first)
    await write({ curations: both })
    expect(await world.sql(STATES)).toMatchObject([{ status: 'DISCARDED' }, { status: 'PENDING', question_id: null }])
    await world.sql(`UPDATE learnings SET status = 'PENDING' WHERE id = $1`, first)
    await write({ curations: both })
    const isAsked = { status: 'ASKED', question_id: question.id }
    expect(await world.sql(STATES)).toEqual([isAsked, isAsked])
  })

  /** A fact, a question about it, and an answer by which another one holds in its place. */
  const answering = async () => {
    const [factId, questionId, id] = [newId('fact'), newId('question'), newId('learning')]
    await world.sql(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       VALUES ($1, 'Port 80 is open.', 'port 80 is open', 'CURATOR', now(), now())`,
      factId,
    )
    await world.sql(
      `INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
       VALUES ($1, 'Is it?', 'is it', $2, 'CURATOR', ARRAY[$3], now())`,
      questionId,
      SESSION,
      factId,
    )
    const entry = { ...TO_JUDGE, source: 'ANSWER' } as const
    const learning = { id, content: 'Is it? No.', norm: 'is it no', entry }
    const answer = { questionId, answer: 'No.', byAdmin: false, learningIds: [], learning, changeId: 'chg_2', at }
    const fact = { id: newId('fact'), content: 'Port 80 is shut.', norm: 'port 80 is shut' }
    const replaces = { factId, version: 1 }
    const curation = { ...promotion(id), by: 'planner', changeId: 'chg_2', fact, replaces } as const
    return { factId, changes: { answers: [answer], curations: [curation] } }
  }
  const STATE = `SELECT concat_ws(' ', q.status, l.status, l.held, l.decided_by,
      (SELECT string_agg(f.content, ' ' ORDER BY f.id) FROM facts f WHERE f.invalidated_at IS NULL),
      (SELECT count(*) FROM curation_jobs)) AS state FROM questions q, learnings l WHERE l.source = 'ANSWER'`

  test('are learned from an answer, and settled with it', async () => {
    const { factId, changes } = await answering()
    await write(changes)
    expect(await world.sql(STATE)).toEqual([{ state: 'RESOLVED PROMOTED f planner Port 80 is shut. 1' }])
    const audit = `SELECT actor, data->>'change' AS change FROM audit_entries WHERE data->>'subjectId' = $1`
    expect(await world.sql(audit, factId)).toEqual([{ actor: 'planner', change: 'REPLACED' }])
    await write(changes)
    expect(await world.sql('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 2 }])
  })

  test.each([
    ['was changed since', `UPDATE facts SET version = 2 WHERE id = $1`],
    ['was pinned since', 'UPDATE facts SET pinned = true WHERE id = $1'],
    ['went out of use since', 'UPDATE facts SET invalidated_at = now() WHERE id = $1'],
    [
      'is not the only one, as another says what would hold,',
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       SELECT 'fact_twin', 'Port 80 is shut!', 'port 80 is shut', 'MANUAL', now(), now() FROM facts WHERE id = $1`,
    ],
  ])('whose fact %s wait to be judged, and their question is settled', async (_what, meanwhile) => {
    const { factId, changes } = await answering()
    await world.sql(meanwhile, factId)
    const before = await world.sql('SELECT * FROM facts ORDER BY id')
    await write(changes)
    expect(await world.sql(STATE)).toMatchObject([{ state: expect.stringMatching(/^RESOLVED PENDING f .*1$/) }])
    expect(await world.sql('SELECT * FROM facts ORDER BY id')).toEqual(before)
  })

  test('to a question that is settled already make no fact', async () => {
    const { changes } = await answering()
    await world.sql(`UPDATE questions SET status = 'RESOLVED'`)
    await write(changes)
    expect(await world.sql(`SELECT FROM learnings WHERE source = 'ANSWER'`)).toEqual([])
    expect(await world.sql('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 1 }])
  })

  test('are settled by the commit that ends the turn, too, and by none without the lease', async () => {
    const { changes } = await answering()
    const { database } = world.context
    const finish = { status: 'DONE', failure: null, at } as const
    const write = { events: [], ...changes, finish }
    const stale = { ...lease, epoch: lease.epoch + 1 }
    await expect(commitTurn(database, { lease: stale, turn }, write)).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(await world.sql(`SELECT status FROM questions`)).toEqual([{ status: 'OPEN' }])
    expect(await commitTurn(database, { lease, turn }, write)).toMatchObject({ released: true })
    expect(await world.sql(STATE)).toEqual([{ state: 'RESOLVED PROMOTED f planner Port 80 is shut. 1' }])
  })

  test('which facts a turn was shown is kept once', async () => {
    const id = await learn()
    const curation = promotion(id)
    await write({ curations: [curation] })
    const factId = must(curation.fact, 'a promotion has a fact').id
    await write({ factsShown: [factId, newId('fact')] })
    await write({ factsShown: [factId] })
    expect(await world.sql('SELECT turn_id, fact_ids FROM turn_facts')).toEqual([
      { turn_id: turn.id, fact_ids: [factId] },
    ])
    await world.sql(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at) VALUES ('fact_0', 'f', 'f', 'MANUAL', now(), now())`,
    )
    await write({ factsShown: ['fact_0', newId('fact')] })
    await write({ factsShown: [newId('fact')] })
    expect(await world.sql('SELECT fact_ids FROM turn_facts')).toEqual([{ fact_ids: ['fact_0', factId] }])
    // What it relied on apart, and as often as it is said no more than once.
    expect(await world.sql('SELECT * FROM fact_uses')).toEqual([])
    await write({ factsUsed: [factId, factId, newId('fact')] })
    await write({ factsUsed: [factId] })
    expect(await world.sql('SELECT fact_id, turn_id FROM fact_uses')).toEqual([{ fact_id: factId, turn_id: turn.id }])
  })
})

test('a plan keeps the names of secrets, a task its skill and arguments', async () => {
  expect(await world.sql('SELECT secret_names FROM plans')).toEqual([{ secret_names: ['KEY'] }])
  expect(await world.sql('SELECT skill, args FROM tasks')).toEqual([
    { skill: 'search', args: { query: 'x', limit: 3 } },
  ])
})

test('a summary moves its watermark once', async () => {
  await write({ summary: { text: 'first', fromSeq: 0, toSeq: 4 } })
  await write({ summary: { text: 'late', fromSeq: 0, toSeq: 3 } })
  expect(await world.sql('SELECT summary, summary_seq FROM sessions')).toEqual([{ summary: 'first', summary_seq: 4 }])
})

test('a paraphrase is kept, a content replaced', async () => {
  await write({ messageTexts: [{ id: turn.messageId, paraphrase: 'She greets.' }] })
  await write({ messageTexts: [{ id: turn.messageId, paraphrase: 'Again.', content: '[REDACTED]' }] })
  expect(await world.sql('SELECT content, paraphrase FROM messages')).toEqual([
    { content: '[REDACTED]', paraphrase: 'She greets.' },
  ])
})

test('a message whose text changes twice in the write that ends it keeps the last text, and its end', async () => {
  const texts = [
    { id: turn.messageId, content: 'hello [REDACTED] and 5678' },
    { id: turn.messageId, content: 'hello [REDACTED] and [REDACTED]' },
  ]
  await write({ messageTexts: texts, finish: { status: 'FAILED', failure: 'No plan.', at } })
  expect(await world.sql('SELECT status, content FROM messages')).toEqual([
    { status: 'FAILED', content: 'hello [REDACTED] and [REDACTED]' },
  ])
})

test('deliveries exist only where there is a webhook', async () => {
  const deliver = () => write({ deliveries: [{ id: newId('delivery'), taskId, final: true, createdAt: at }] })
  await deliver()
  await world.sql(`UPDATE sessions SET webhook = 'https://example.org/hook', webhook_token = 'chat'`)
  await deliver()
  expect(await world.sql('SELECT url, token_name, final, status, attempts FROM deliveries')).toEqual([
    { url: 'https://example.org/hook', token_name: 'chat', final: true, status: 'PENDING', attempts: 0 },
  ])
})

test('files and audit entries are stored as given', async () => {
  const file = { id: 'pub_1', taskId, name: 'a.txt', size: 3_000_000_000, contentType: 'text/plain', userName: 'alice' }
  const body = { kind: 'REVIEW', taskId, verdict: 'OK', hasLearning: true } as const
  const about = { at, sessionId: SESSION, turnId: turn.id, actor: 'alice', tokenName: 'cli' }
  await write({ files: [{ ...file, createdAt: at, expiresAt: null }], audit: [{ ...about, body }] })
  expect(await world.sql('SELECT id, name, size, user_name FROM published_files')).toEqual([
    { id: 'pub_1', name: 'a.txt', size: '3000000000', user_name: 'alice' },
  ])
  expect(await world.sql('SELECT kind, actor, token_name, data FROM audit_entries WHERE turn_id IS NOT NULL')).toEqual([
    { kind: 'REVIEW', actor: 'alice', token_name: 'cli', data: { taskId, verdict: 'OK', hasLearning: true } },
  ])
})

test('the audit is append-only, but for the retention job', async () => {
  const body = { kind: 'CONFIG', change: 'RELOADED', detail: 'users added: cleo' } as const
  await write({ audit: [{ at, sessionId: null, turnId: null, actor: null, tokenName: null, body }] })
  await expect(world.sql(`UPDATE audit_entries SET actor = 'x'`)).rejects.toThrow('append-only')
  await expect(world.sql('DELETE FROM audit_entries')).rejects.toThrow('append-only')
  await expect(world.sql('TRUNCATE audit_entries')).rejects.toThrow('append-only')
  await world.sql(`WITH who AS MATERIALIZED (SELECT set_config('factotum.retention', 'on', true))
    DELETE FROM audit_entries USING who`)
  expect(await world.sql('SELECT 1 FROM audit_entries')).toEqual([])
})

test('a turn that waits gives its session back and goes on from its rows', async () => {
  const until = new Date(Date.now() + 3_600_000)
  const committed = await write({ pause: { reason: 'The budget is used up.', at, until } })
  expect(committed.released).toBe(true)
  await expect(write({})).rejects.toMatchObject({ code: 'LEASE_LOST' })
  expect(await world.sql('SELECT status, paused_reason FROM turns')).toEqual([
    { status: 'RUNNING', paused_reason: 'The budget is used up.' },
  ])
  expect(await claimSessions(world.context.database, 1, { limit: 1, held: [] })).toEqual([])
  await world.sql('UPDATE sessions SET ready_at = now()')
  await begin()
  expect(turn).toMatchObject({ resumed: true, takeovers: 0 })
  expect(await world.sql('SELECT paused_at, paused_reason FROM turns')).toEqual([
    { paused_at: null, paused_reason: null },
  ])
})

describe('a turn that waits, and that a user wants to end', () => {
  const pause = { reason: 'The budget is used up.', at, until: new Date(Date.now() + 3_600_000) }
  const cancel = () => cancelTurn(world.context, world.as('alice'), { sessionId: SESSION })

  test('is made ready by the wish, which is audited once', async () => {
    await write({ pause })
    expect(await cancel()).toEqual({ kind: 'Cancelling', turnId: turn.id })
    expect(await cancel()).toEqual({ kind: 'Cancelling', turnId: turn.id })
    expect(world.rung).toContainEqual({ kind: 'work', sessionId: SESSION })
    await begin()
    expect(turn).toMatchObject({ resumed: true, cancelRequested: true })
    const cancelled = `SELECT turn_id, actor FROM audit_entries WHERE data->>'change' = 'TURN_CANCELLED'`
    expect(await world.sql(cancelled)).toEqual([{ turn_id: turn.id, actor: 'alice' }])
  })

  test('sees a wish that came before as it begins to wait, and is made ready then', async () => {
    await cancel()
    expect(await write({ pause })).toMatchObject({ cancelRequested: true, released: true })
    expect(await claimSessions(world.context.database, 1, { limit: 1, held: [] })).toEqual([])
    await makeReady(world.context.database, [SESSION])
    await begin()
    expect(turn).toMatchObject({ resumed: true, cancelRequested: true })
  })

  test('at the same moment, whichever is first: it is ready in the end, or known to its process', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [committed] = await Promise.all([write({ pause }), cancel()])
      const [session] = await world.sql<{ ready: boolean }>('SELECT ready_at <= now() AS ready FROM sessions')
      expect([committed.cancelRequested, session?.ready]).toContain(true)
      await world.sql('UPDATE sessions SET ready_at = now()')
      await world.sql('UPDATE turns SET cancel_requested = false')
      await begin()
    }
  })
})
