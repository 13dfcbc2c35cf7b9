/**
 * The process dies after the answer, while it curates or summarises: another one goes on there. Nothing that was
 * committed happens again, nothing pending is lost, and the turn ends as it had ended.
 */
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import * as api from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import type { ApiClient } from '../harness/api-client.ts'
import { answersIn, eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const SESSION = 'cli:demo'
const settings = { summarize_threshold: 1, context_messages: 0 }
const LEARNED = 'The build server is called Otto.'

/** Answers well, learns something, and leaves the first call of `role` without an answer. */
function holdFirst(role: StubCall['role'], minds: (call: StubCall) => StubAnswer | null = () => null) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let held = false
  const by = (call: StubCall): StubAnswer => {
    if (call.role === role && !held) {
      held = true
      return () => resolve()
    }
    if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: LEARNED } }
    return minds(call) ?? answerWell(call)
  }
  return { by, asked: promise }
}

interface Scene {
  readonly cluster: Cluster
  readonly survivor: ApiClient
  readonly model: StubEndpoint
}

/** Two processes; the one that runs the turn is killed when the first call of `role` is under way. */
async function killWhile(
  role: StubCall['role'],
  minds: (call: StubCall) => StubAnswer | null,
  tell: (scene: Scene) => Promise<void>,
): Promise<void> {
  const script = holdFirst(role, minds)
  await using model = await StubEndpoint.start({ by: script.by })
  await using cluster = await Cluster.begin({ config: { settings, toml: stubProvider(model) } })
  const first = await cluster.start()
  const second = await cluster.start()
  await send(clientOf(first, 'ada'), SESSION, 'What is the build server called?')
  await script.asked
  const owner = first.logs.some((line) => line.msg === 'turn begins') ? first : second
  await owner.kill()
  await tell({ cluster, model, survivor: clientOf(owner === first ? second : first, 'ada') })
}

test('while the curator is asked: it is asked again, and the answer is not written twice', async () => {
  await killWhile(
    'curator',
    () => null,
    async ({ cluster, survivor, model }) => {
      await using watch = watchAll(survivor, SESSION)
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
      expect(await cluster.query('SELECT status FROM learnings')).toEqual([{ status: 'PROMOTED' }])
      expect(await cluster.query('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 1 }])
    },
  )
})

test('after the curator has decided: that stands, and the summary is made', async () => {
  await killWhile(
    'summarizer',
    () => null,
    async ({ cluster, survivor, model }) => {
      await using watch = watchAll(survivor, SESSION)
      expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
      const steps = eventsOf(watch, 'PipelineStepEvent').map(({ step }) => step)
      expect(steps.slice(-2)).toEqual(['SUMMARIZING', 'COMPLETE'])
      expect(model.calls.filter(({ role }) => role === 'curator')).toHaveLength(1)
      expect(await cluster.query('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: 1 }])
      const sessions = await cluster.query('SELECT summary, summary_seq FROM sessions')
      expect(sessions).toEqual([{ summary: 'They said hi.', summary_seq: 1 }])
    },
  )
})

test('a turn that had failed stays failed, and its user is told once', async () => {
  const noMessenger = ({ role }: StubCall): StubAnswer | null =>
    role === 'messenger' ? { status: 401, body: { error: { message: 'no such key' } } } : null
  await killWhile('curator', noMessenger, async ({ cluster, survivor, model }) => {
    await using watch = watchAll(survivor, SESSION)
    const end = await turnEnd(watch)
    expect(end).toMatchObject({ turnStatus: 'FAILED' })
    expect(answersIn(watch)).toEqual([end.failure])
    expect(model.calls.filter(({ role }) => role === 'messenger')).toHaveLength(1)
    expect(await cluster.query('SELECT status FROM learnings')).toEqual([{ status: 'PROMOTED' }])
  })
})

test(
  'at any moment around the decision: no learning is lost, none becomes two facts',
  { timeout: 60_000 },
  async () => {
    const asked = new Map<string, PromiseWithResolvers<void>>()
    // Earlier in the prompt stand facts, with the names of before.
    const nameIn = ({ user }: StubCall): string => user.match(/machine-\d+/g)?.at(-1) ?? ''
    const by = (call: StubCall): StubAnswer => {
      const name = nameIn(call)
      if (call.role === 'planner')
        return {
          content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.map((task) => ({ ...task, detail: `echo ${name}` })) },
        }
      if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: `${name} is the name of a server.` } }
      if (call.role !== 'curator') return answerWell(call)
      asked.get(name)?.resolve()
      const evaluation = { learningId: 'L1', verdict: 'promote', question: null, reason: 'So it is.' }
      return { content: { evaluations: [{ ...evaluation, fact: `A server has the name ${name}.` }] } }
    }
    await using model = await StubEndpoint.start({ by })
    await using cluster = await Cluster.begin({ config: { toml: stubProvider(model) } })
    let [one, other] = [await cluster.start(), await cluster.start()]
    const delaysMs = [0, 4, 10]
    for (const [n, delayMs] of delaysMs.entries()) {
      const gate = Promise.withResolvers<void>()
      asked.set(`machine-${n}`, gate)
      await send(clientOf(one, 'ada'), `cli:kill-${n}`, `What is machine-${n}?`)
      await gate.promise
      await systemClock.sleep(delayMs)
      const isOwner = (server: ServerProcess): boolean =>
        server.logs.some((line) => line.msg === 'turn begins' && line['sessionId'] === `cli:kill-${n}`)
      if (!isOwner(one)) [one, other] = [other, one]
      await one.kill()
      await using watch = watchAll(clientOf(other, 'ada'), `cli:kill-${n}`)
      expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
      one = await cluster.start()
    }
    const decided = await cluster.query(
      `SELECT l.content, l.status, f.content AS fact FROM learnings l LEFT JOIN facts f ON f.id = l.fact_id ORDER BY l.id`,
    )
    expect(decided).toEqual(
      delaysMs.map((_, n) => ({
        content: `machine-${n} is the name of a server.`,
        status: 'PROMOTED',
        fact: `A server has the name machine-${n}.`,
      })),
    )
    expect(await cluster.query('SELECT count(*)::int AS n FROM facts')).toEqual([{ n: delaysMs.length }])
  },
)

/** What a message answers, by name: the fact, the question, its learning, what was learned from the answer, its job. */
const ANSWERED = `SELECT concat_ws(' ', q.status, l.status,
    (SELECT string_agg(a.status::text, ' ') FROM learnings a WHERE a.session_id = q.session_id AND a.source = 'ANSWER'
      AND a.similar_fact_ids @> q.fact_ids),
    CASE WHEN EXISTS (SELECT FROM curation_jobs j WHERE j.session_id = q.session_id) THEN 'job' END,
    (SELECT string_agg(f.content, ' ' ORDER BY f.id) FROM facts f WHERE f.content LIKE '%' || $1 || '%' AND f.invalidated_at IS NULL)) AS state
  FROM questions q JOIN learnings l ON l.question_id = q.id WHERE q.session_id = 'cli:' || $1`

test('an answer in a message settles its question, and then the facts, at whatever moment the server is killed', async () => {
  const asked = new Map<string, PromiseWithResolvers<void>>()
  let isHeld = false
  const by = (call: StubCall): StubAnswer => {
    const name = call.user.match(/depot-\d/g)?.at(-1) ?? ''
    if (call.role === 'planner') {
      asked.get(`planner ${name}`)?.resolve()
      const answers = [{ question: 'Q1', answer: 'It is in Turku.' }]
      const tasks = [{ type: 'msg', detail: 'Thank them.', expect: null, skill: null, args: null }]
      return { content: { goal: `Thank them for ${name}.`, secrets: null, tasks, answers } }
    }
    if (call.role !== 'curator') return answerWell(call)
    if (asked.has(`curator ${name}`) && !isHeld) {
      isHeld = true
      return () => asked.get(`curator ${name}`)?.resolve()
    }
    const known = /^(F\d+): The depot-\d is in Riga/m.exec(call.user)?.[1]
    const verdict = { learningId: 'L1', verdict: 'replace', known, fact: `The ${name} is in Turku.`, question: null }
    return { content: { evaluations: [{ ...verdict, reason: 'So they say.' }] } }
  }
  await using model = await StubEndpoint.start({ by })
  await using cluster = await Cluster.begin({ config: { toml: stubProvider(model) } })
  let [one, other] = [await cluster.start(), await cluster.start()]
  const moments = [
    { until: 'planner', delayMs: 5 },
    { until: 'curator', delayMs: 0 },
  ]
  for (const [n, { until, delayMs }] of moments.entries()) {
    const name = `depot-${n}`
    const stateOf = async () => (await cluster.query<{ state: string }>(ANSWERED, [name]))[0]?.state
    await cluster.query(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ($1, 'cli', true)`, [
      `cli:${name}`,
    ])
    await cluster.query(
      `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       VALUES ($1, 'The ' || $1 || ' is in Riga.', 'the ' || $1 || ' is in riga', 'CURATOR', now(), now())`,
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
    const gate = Promise.withResolvers<void>()
    asked.set(`${until} ${name}`, gate)
    await send(clientOf(one, 'ada'), `cli:${name}`, `The ${name} is in Turku.`)
    await gate.promise
    await systemClock.sleep(delayMs)
    const isOwner = ({ logs }: ServerProcess): boolean =>
      logs.some((line) => line.msg === 'turn begins' && line['sessionId'] === `cli:${name}`)
    if (!isOwner(one)) [one, other] = [other, one]
    await one.kill()
    const [open, answered] = [
      `OPEN ASKED The ${name} is in Riga.`,
      `RESOLVED ANSWERED PENDING job The ${name} is in Riga.`,
    ]
    expect(until === 'planner' ? [open, answered] : [answered]).toContain(await stateOf())
    await using watch = watchAll(clientOf(other, 'ada'), `cli:${name}`)
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect((await stateOf())?.replace(' job', '')).toBe(`RESOLVED ANSWERED PROMOTED The ${name} is in Turku.`)
    if (n + 1 < moments.length) one = await cluster.start()
  }
}, 60_000)

test('a proposal that is accepted while the server is killed is done as a whole, or waits', async () => {
  await using cluster = await Cluster.begin({})
  const delaysMs = [0, 2, 5, 9, 15, 25]
  let server = await cluster.start()
  const states: unknown[] = []
  for (const [n, delayMs] of delaysMs.entries()) {
    const [facts, id] = [[`fact_${n}a`, `fact_${n}b`], `prop_0000000000000000000000000${n}`]
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
    const accepted = clientOf(server, 'ada').run(api.AcceptProposalDocument, { id })
    const answered = accepted.then(
      ({ acceptProposal }) => acceptProposal.__typename === 'AcceptProposalPayload',
      () => false,
    )
    await systemClock.sleep(delayMs)
    await server.kill()
    const isAnswered = await answered
    server = await cluster.start()
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
    expect(isAnswered && row?.status !== 'ACCEPTED').toBe(false)
    states.push(row?.status)
  }
  // What waits still is accepted now, and what was done is not done again.
  for (const [n, status] of states.entries()) {
    const id = `prop_0000000000000000000000000${n}`
    const { acceptProposal } = await clientOf(server, 'ada').run(api.AcceptProposalDocument, { id })
    expect(acceptProposal.__typename).toBe(status === 'WAITING' ? 'AcceptProposalPayload' : 'ConflictRefusal')
  }
  const made = await cluster.query(`SELECT content FROM facts WHERE invalidated_at IS NULL`)
  expect(made).toHaveLength(delaysMs.length)
})

test(
  'a replacement, and its undo, under kill -9 are there as a whole, or not at all',
  { timeout: 180_000 },
  async () => {
    await using cluster = await Cluster.begin({})
    let server = await cluster.start()
    const learningOf = (n: number): string => `learn_0000000000000000000000000${n}`
    const factOf = (n: number): string => `fact_0000000000000000000000000${n}`
    await cluster.query(`INSERT INTO sessions (id, source_kind, source_interactive) VALUES ('cli:a', 'cli', true)`)
    const stateOf = async (n: number) => {
      const [row] = await cluster.query<{ state: string }>(
        `SELECT concat_ws(' ', l.status, o.invalidated_at IS NULL, o.valid_to IS NULL, o.replaced_by_id IS NULL,
         (SELECT count(*) FROM facts f WHERE f.content = l.content AND f.invalidated_at IS NULL),
         (SELECT count(*) FROM audit_entries a WHERE a.kind = 'KNOWLEDGE' AND a.data->>'subjectId' = l.id)) AS state
       FROM learnings l, facts o WHERE l.id = $1 AND o.id = $2`,
        [learningOf(n), factOf(n)],
      )
      return row?.state.replace(/ \d+$/, '')
    }
    /** Kills the server a little after a mutation was sent, and says whether that was answered. */
    const killDuring = async (delayMs: number, mutation: Promise<boolean>): Promise<boolean> => {
      const answered = mutation.catch(() => false)
      await systemClock.sleep(delayMs)
      await server.kill()
      const isDone = await answered
      server = await cluster.start()
      return isDone
    }
    /** What was not done is done now; the database may be busy with what the dead server left. */
    const until = (n: number, state: string, act: () => Promise<boolean>): Promise<void> =>
      vi.waitFor(
        async () => {
          if ((await stateOf(n)) !== state) await act().catch(() => false)
          expect(await stateOf(n)).toBe(state)
        },
        { timeout: 60_000 },
      )
    const [WAITS, REPLACED] = ['PENDING t t t 0', 'PROMOTED f f f 1']
    for (const [n, delayMs] of [0, 5, 20].entries()) {
      await cluster.query(
        `INSERT INTO facts (id, content, norm, source, created_at, updated_at)
       VALUES ($1, 'The old ' || $1, 'the old ' || $1, 'CURATOR', now(), now())`,
        [factOf(n)],
      )
      await cluster.query(
        `INSERT INTO learnings (id, session_id, content, norm, status, held, created_at)
       VALUES ($1, 'cli:a', 'The new ' || $1, 'the new ' || $1, 'PENDING', true, now())`,
        [learningOf(n)],
      )
      const replacing = {
        id: learningOf(n),
        verdict: 'PROMOTE',
        factId: factOf(n),
        scope: { scope: 'GLOBAL' },
      } as const
      const decide = async (): Promise<boolean> => {
        const { decideLearnings } = await clientOf(server, 'ada').run(api.DecideLearningsDocument, {
          decisions: [replacing],
        })
        return JSON.stringify(decideLearnings).includes('DecideLearningPayload')
      }
      const isDecided = await killDuring(delayMs, decide())
      const after = await stateOf(n)
      expect([WAITS, REPLACED]).toContain(after)
      expect(isDecided && after === WAITS).toBe(false)
      await until(n, REPLACED, decide)

      const [change] = await cluster.query<{ id: string }>(
        `SELECT change_id AS id FROM fact_versions WHERE fact_id = $1 AND change = 'REPLACED'`,
        [factOf(n)],
      )
      const undo = async (): Promise<boolean> => {
        const { undoChange } = await clientOf(server, 'ada').run(api.UndoChangeDocument, { changeId: change?.id ?? '' })
        return undoChange.__typename === 'UndoChangePayload'
      }
      const isUndone = await killDuring(delayMs, undo())
      const then = await stateOf(n)
      expect([WAITS, REPLACED]).toContain(then)
      expect(isUndone && then === REPLACED).toBe(false)
      await until(n, WAITS, undo)
    }
  },
)
