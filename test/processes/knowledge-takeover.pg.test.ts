/**
 * The process dies after the answer, while it curates or summarises: another one goes on there. Nothing that was
 * committed happens again, nothing pending is lost, and the turn ends as it had ended.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import * as api from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { PATIENCE } from '../harness/patience.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

type Mind = (call: StubCall) => StubAnswer

const settings = { summarize_threshold: 1, context_messages: 0 }
const cleanup = new AsyncDisposableStack()
let model: StubEndpoint
let cluster: Cluster
let server: ServerProcess

beforeAll(async () => {
  model = cleanup.use(await StubEndpoint.start({ by: answerWell }))
  cluster = cleanup.use(await Cluster.begin({ config: { settings, toml: stubProvider(model) } }))
  server = await cluster.start()
})
beforeEach(() => {
  model.calls.splice(0)
})
afterAll(() => cleanup.disposeAsync())

/** One process dies, and the next one goes on with what it left. */
async function replaceServer(): Promise<void> {
  await server.kill()
  server = await cluster.start()
}

/** Answers well, learns that the server is called so, and leaves the first call of `role` without an answer. */
function holdFirst(role: StubCall['role'], learn: string, minds: (call: StubCall) => StubAnswer | null = () => null) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let held = false
  const by: Mind = (call) => {
    if (call.role === role && !held) {
      held = true
      return () => resolve()
    }
    if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn } }
    return minds(call) ?? answerWell(call)
  }
  return { by, asked: promise }
}

interface Scene {
  readonly sessionId: string
  readonly learn: string
  readonly minds?: (call: StubCall) => StubAnswer | null
}

/** The process that runs the turn is killed when the first call of `role` is under way. */
async function killWhile(role: StubCall['role'], { sessionId, learn, minds }: Scene): Promise<void> {
  const script = holdFirst(role, learn, minds)
  model.follow(script)
  await send(clientOf(server, 'ada'), sessionId, 'What is the build server called?')
  await script.asked
  await replaceServer()
}

async function factsSaying(content: string): Promise<number | undefined> {
  const query = 'SELECT count(*)::int AS n FROM facts WHERE content = $1'
  return (await cluster.query<{ n: number }>(query, [content]))[0]?.n
}

function learningsOf(sessionId: string): Promise<object[]> {
  return cluster.query('SELECT status FROM learnings WHERE session_id = $1', [sessionId])
}

test('while the curator is asked: it is asked again, and the answer is not written twice', async () => {
  const [sessionId, learn] = ['cli:curated', 'The build server is called Otto.']
  await killWhile('curator', { sessionId, learn })
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE', failure: null })
  expect(answersIn(watch)).toEqual(['It printed hi.'])
  expect(model.calls.map(({ role }) => role)).toEqual([
    'planner',
    'reviewer',
    'messenger',
    'curator',
    'curator',
    'summarizer',
  ])
  expect(await learningsOf(sessionId)).toEqual([{ status: 'PROMOTED' }])
  expect(await factsSaying(learn)).toBe(1)
})

test('after the curator has decided: that stands, and the summary is made', async () => {
  const [sessionId, learn] = ['cli:summarised', 'The mail relay listens on port 2525.']
  await killWhile('summarizer', { sessionId, learn })
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  const steps = eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)
  expect(steps.slice(-2)).toEqual(['SUMMARIZING', 'COMPLETE'])
  expect(model.calls.filter(({ role }) => role === 'curator')).toHaveLength(1)
  expect(await factsSaying(learn)).toBe(1)
  const sessions = await cluster.query('SELECT summary, summary_seq FROM sessions WHERE id = $1', [sessionId])
  expect(sessions).toEqual([{ summary: 'They said hi.', summary_seq: 1 }])
})

test('a turn that had failed stays failed, and its user is told once', async () => {
  const [sessionId, learn] = ['cli:failed', 'Backups are kept in Tampere.']
  const minds = ({ role }: StubCall): StubAnswer | null =>
    role === 'messenger' ? { status: 401, body: { error: { message: 'no such key' } } } : null
  await killWhile('curator', { sessionId, learn, minds })
  await using watch = watchAll(clientOf(server, 'ada'), sessionId)
  const end = await turnEnd(watch)
  expect(end).toMatchObject({ turnStatus: 'FAILED' })
  expect(answersIn(watch)).toEqual([end.failure])
  expect(model.calls.filter(({ role }) => role === 'messenger')).toHaveLength(1)
  expect(await learningsOf(sessionId)).toEqual([{ status: 'PROMOTED' }])
})

test('at any moment around the decision: no learning is lost, none becomes two facts', async () => {
  const names = ['machine-0', 'machine-1', 'machine-2', 'machine-3']
  const sessionOf = (name: string): string => `cli:${name}`
  const allAsked = Promise.withResolvers<void>()
  const asked = new Set<string>()
  // Earlier in the prompt stand facts, with the names of others.
  const nameIn = ({ user }: StubCall): string => user.match(/machine-\d+/g)?.at(-1) ?? ''
  const by: Mind = (call) => {
    const name = nameIn(call)
    if (call.role === 'planner')
      return { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.map((task) => ({ ...task, detail: `echo ${name}` })) } }
    if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: `${name} is the name of a server.` } }
    if (call.role !== 'curator') return answerWell(call)
    asked.add(name)
    // Then the answers to the others are read, being written, or there.
    if (asked.size === names.length) allAsked.resolve()
    const evaluation = { learningId: 'L1', verdict: 'promote', question: null, reason: 'So it is.' }
    return { content: { evaluations: [{ ...evaluation, fact: `A server has the name ${name}.` }] } }
  }
  model.follow({ by })
  const ada = clientOf(server, 'ada')
  await Promise.all(names.map((name) => send(ada, sessionOf(name), `What is ${name}?`)))
  await allAsked.promise
  await replaceServer()
  for (const name of names) {
    await using watch = watchAll(clientOf(server, 'ada'), sessionOf(name))
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  }
  const decided = await cluster.query(
    `SELECT l.content, l.status, f.content AS fact FROM learnings l LEFT JOIN facts f ON f.id = l.fact_id
     WHERE l.session_id = ANY ($1) ORDER BY l.content`,
    [names.map(sessionOf)],
  )
  expect(decided).toEqual(
    names.map((name) => ({
      content: `${name} is the name of a server.`,
      status: 'PROMOTED',
      fact: `A server has the name ${name}.`,
    })),
  )
  for (const name of names) expect(await factsSaying(`A server has the name ${name}.`)).toBe(1)
})

/** What a message answers, by name: the fact, the question, its learning, what was learned from the answer, its job. */
const ANSWERED = `SELECT concat_ws(' ', q.status, l.status,
    (SELECT string_agg(a.status::text, ' ') FROM learnings a WHERE a.session_id = q.session_id AND a.source = 'ANSWER'
      AND a.similar_fact_ids @> q.fact_ids),
    CASE WHEN EXISTS (SELECT FROM curation_jobs j WHERE j.session_id = q.session_id) THEN 'job' END,
    (SELECT string_agg(f.content, ' ' ORDER BY f.id) FROM facts f WHERE f.content LIKE '%' || $1 || '%' AND f.invalidated_at IS NULL)) AS state
  FROM questions q JOIN learnings l ON l.question_id = q.id WHERE q.session_id = 'cli:' || $1`

test('an answer in a message settles its question, and then the facts, at whatever moment the server is killed', async () => {
  // One is killed while the curator is asked, the others at some moment around the decision that settles the question.
  const [held, ...others] = ['depot-0', 'depot-1', 'depot-2', 'depot-3'] as const
  // The plans of these say what follows for the facts: that is settled with the question.
  const settledAtOnce = new Set<string>(['depot-2', 'depot-3'])
  const heldAtCurator = Promise.withResolvers<void>()
  const allAsked = Promise.withResolvers<void>()
  const planned = new Set<string>()
  let isHeld = false
  const by: Mind = (call) => {
    const name = call.user.match(/depot-\d/g)?.at(-1) ?? ''
    if (call.role === 'planner') {
      planned.add(name)
      if (planned.size > others.length) allAsked.resolve()
      const [, fact] = new RegExp(`^(F\\d+) of Q1: The ${name} is in Riga`, 'm').exec(call.user) ?? []
      const outcome = { verdict: 'replace', fact, text: `The ${name} is in Turku.` }
      const answers = [{ question: 'Q1', answer: 'It is in Turku.', outcome: settledAtOnce.has(name) ? outcome : null }]
      const tasks = [{ type: 'msg', detail: 'Thank them.', expect: null, skill: null, args: null }]
      return { content: { goal: `Thank them for ${name}.`, secrets: null, tasks, answers } }
    }
    if (call.role !== 'curator') return answerWell(call)
    if (name === held && !isHeld) {
      isHeld = true
      return () => heldAtCurator.resolve()
    }
    const known = new RegExp(`^(F\\d+): The ${name} is in Riga`, 'm').exec(call.user)?.[1]
    const verdict = { learningId: 'L1', verdict: 'replace', known, fact: `The ${name} is in Turku.`, question: null }
    return { content: { evaluations: [{ ...verdict, reason: 'So they say.' }] } }
  }
  model.follow({ by })
  const names = [held, ...others]
  for (const name of names) await askWhere(name)
  const ada = clientOf(server, 'ada')
  const teach = (name: string) => send(ada, `cli:${name}`, `The ${name} is in Turku.`)
  await teach(held)
  await heldAtCurator.promise
  await Promise.all(others.map(teach))
  await allAsked.promise
  await server.kill()
  const stateOf = async (name: string) => (await cluster.query<{ state: string }>(ANSWERED, [name]))[0]?.state
  const answered = (name: string): string => `RESOLVED ANSWERED PENDING job The ${name} is in Riga.`
  const settled = (name: string): string => `RESOLVED ANSWERED PROMOTED The ${name} is in Turku.`
  expect(await stateOf(held)).toBe(answered(held))
  for (const name of others) {
    // The job stays for a while behind what it was for.
    const between = settledAtOnce.has(name) ? [] : [answered(name)]
    const after = [settled(name).replace(' The', ' job The'), settled(name)]
    expect([`OPEN ASKED The ${name} is in Riga.`, ...between, ...after]).toContain(await stateOf(name))
  }
  server = await cluster.start()
  for (const name of names) {
    await using watch = watchAll(clientOf(server, 'ada'), `cli:${name}`)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect((await stateOf(name))?.replace(' job', '')).toBe(settled(name))
  }
})

/** A session with a question about the place of `name`, its learning and the fact that it is about. */
async function askWhere(name: string): Promise<void> {
  await cluster.query(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ($1, 'cli', true)`, [
    `cli:${name}`,
  ])
  await cluster.query(
    `INSERT INTO facts (id, content, norm, source, created_at, updated_at, reviewed_by, reviewed_at)
     VALUES ($1, 'The ' || $1 || ' is in Riga.', 'the ' || $1 || ' is in riga', 'CURATOR', now(), now(), 'ada', now())`,
    [name],
  )
  await cluster.query(
    `INSERT INTO questions (id, content, norm, session_id, source, fact_ids, created_at)
     VALUES ('q_' || $1, 'Where is the ' || $1 || '?', 'where is the ' || $1, 'cli:' || $1, 'CURATOR', ARRAY[$1], now())`,
    [name],
  )
  await cluster.query(
    `INSERT INTO learnings (id, session_id, content, norm, status, question_id, created_at)
     VALUES ('l_' || $1, 'cli:' || $1, 'The ' || $1 || ' is in Turku.', 'x', 'ASKED', 'q_' || $1, now())`,
    [name],
  )
}

/**
 * Sends mutations together and kills the server when the first is answered: then each of the others is before its
 * transaction, within it, or behind it. Returns which ones were answered as done.
 */
async function killAmong(mutations: readonly Promise<boolean>[]): Promise<boolean[]> {
  const answered = mutations.map((mutation) => mutation.catch(() => false))
  await Promise.race(answered)
  await server.kill()
  const done = await Promise.all(answered)
  server = await cluster.start()
  return done
}

test('a proposal that is accepted while the server is killed is done as a whole, or waits', async () => {
  const proposals = [0, 1, 2, 3, 4, 5].map((n) => ({
    id: `prop_0000000000000000000000000${n}`,
    facts: [`fact_${n}a`, `fact_${n}b`],
  }))
  for (const { id, facts } of proposals) {
    await cluster.query(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       SELECT f, 'Text of ' || f, 'text of ' || f, 'CURATOR', now(), now() FROM unnest($1::text[]) f`,
      [facts],
    )
    await cluster.query(
      `INSERT INTO fact_proposals (id, steps, created_at)
       SELECT $1, jsonb_build_array(jsonb_build_object('operation', 'MERGE', 'content', 'Both of ' || $1, 'reason', NULL)), now()`,
      [id],
    )
    await cluster.query(
      `INSERT INTO fact_proposal_sources SELECT $1, 0, f, 1, 'Text of ' || f FROM unnest($2::text[]) f`,
      [id, facts],
    )
  }
  const accept = async (id: string) => {
    const { acceptProposal } = await clientOf(server, 'ada').run(api.AcceptProposalDocument, { id })
    return acceptProposal.__typename
  }
  const answered = await killAmong(proposals.map(async ({ id }) => (await accept(id)) === 'AcceptProposalPayload'))
  expect(answered).toContain(true)
  for (const [n, { id, facts }] of proposals.entries()) {
    const [row] = await cluster.query<{ status: string; live: number; merged: number; made: number }>(
      `SELECT status::text, (SELECT count(*)::int FROM facts WHERE id = ANY ($2) AND invalidated_at IS NULL) AS live,
         (SELECT count(*)::int FROM fact_versions v WHERE v.change_id = p.change_id AND fact_id = ANY ($2)) AS merged,
         (SELECT count(*)::int FROM facts WHERE content = 'Both of ' || $1) AS made
       FROM fact_proposals p WHERE id = $1`,
      [id, facts],
    )
    expect([
      { status: 'ACCEPTED', live: 0, merged: 2, made: 1 },
      { status: 'WAITING', live: 2, merged: 0, made: 0 },
    ]).toContainEqual(row)
    expect(answered[n] === true && row?.status !== 'ACCEPTED').toBe(false)
    // What waits still is accepted now, and what was done is not done again.
    expect(await accept(id)).toBe(row?.status === 'WAITING' ? 'AcceptProposalPayload' : 'ConflictRefusal')
  }
  const made = await cluster.query(`SELECT FROM facts WHERE invalidated_at IS NULL AND content LIKE 'Both of %'`)
  expect(made).toHaveLength(proposals.length)
})

/** A learning that a person decides on, and the fact that it is to replace. */
const REPLACEMENTS = [0, 1, 2, 3].map((n) => ({
  learningId: `learn_0000000000000000000000000${n}`,
  factId: `fact_0000000000000000000000000${n}`,
}))

test('a replacement, and its undo, under kill -9 are there as a whole, or not at all', async () => {
  await cluster.query(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true)`)
  for (const { learningId, factId } of REPLACEMENTS) {
    await cluster.query(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       VALUES ($1, 'The old ' || $1, 'the old ' || $1, 'CURATOR', now(), now())`,
      [factId],
    )
    await cluster.query(
      `INSERT INTO learnings (id, session_id, content, norm, status, held, created_at)
       VALUES ($1, 'cli:a', 'The new ' || $1, 'the new ' || $1, 'PENDING', true, now())`,
      [learningId],
    )
  }
  const replaced = await changeUnderKill({ before: 'PENDING t t t 0', after: 'PROMOTED f f f 1', act: decide })
  expect(replaced).toContain(true)
  const changes = await changesOf(REPLACEMENTS.map(({ factId }) => factId))
  const undone = await changeUnderKill({
    before: 'PROMOTED f f f 1',
    after: 'PENDING t t t 0',
    act: ({ factId }) => undo(changes.get(factId) ?? ''),
  })
  expect(undone).toContain(true)
})

type Replacement = (typeof REPLACEMENTS)[number]

interface Change {
  readonly before: string
  readonly after: string
  /** Whether it is said to be done. */
  readonly act: (replacement: Replacement) => Promise<boolean>
}

/**
 * Kills the server among changes of all; each is there as a whole or not at all, and can be made then. Which ones were
 * answered as done.
 */
async function changeUnderKill({ before, after, act }: Change): Promise<boolean[]> {
  const done = await killAmong(REPLACEMENTS.map(act))
  for (const [n, replacement] of REPLACEMENTS.entries()) {
    const state = await stateOf(replacement)
    expect([before, after]).toContain(state)
    expect(done[n] === true && state === before).toBe(false)
    // The database may be busy with what the dead server left.
    await vi.waitFor(async () => {
      if ((await stateOf(replacement)) !== after) await act(replacement).catch(() => false)
      expect(await stateOf(replacement)).toBe(after)
    }, PATIENCE)
  }
  return done
}

async function stateOf({ learningId, factId }: Replacement): Promise<string | undefined> {
  const [row] = await cluster.query<{ state: string }>(
    `SELECT concat_ws(' ', l.status, o.invalidated_at IS NULL, o.valid_to IS NULL, o.replaced_by_id IS NULL,
       (SELECT count(*) FROM facts f WHERE f.content = l.content AND f.invalidated_at IS NULL)) AS state
     FROM learnings l, facts o WHERE l.id = $1 AND o.id = $2`,
    [learningId, factId],
  )
  return row?.state
}

async function decide({ learningId, factId }: Replacement): Promise<boolean> {
  const replacing = { id: learningId, verdict: 'PROMOTE', factId, scope: { scope: 'GLOBAL' } } as const
  const decided = await clientOf(server, 'ada').run(api.DecideLearningsDocument, { decisions: [replacing] })
  return JSON.stringify(decided).includes('DecideLearningPayload')
}

async function undo(changeId: string): Promise<boolean> {
  const { undoChange } = await clientOf(server, 'ada').run(api.UndoChangeDocument, { changeId })
  return undoChange.__typename === 'UndoChangePayload'
}

async function changesOf(factIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const query = `SELECT fact_id, change_id FROM fact_versions WHERE fact_id = ANY ($1) AND change = 'REPLACED'`
  const rows = await cluster.query<{ fact_id: string; change_id: string }>(query, [factIds])
  return new Map(rows.map(({ fact_id: factId, change_id: changeId }) => [factId, changeId]))
}
