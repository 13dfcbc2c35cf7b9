/**
 * The admin's story: a review learns something, the inbox shows it live, the admin edits and promotes it, the next plan
 * has it in its prompt; the admin invalidates it, and the one after has not. The inbox is open at another process than
 * the agent's.
 */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import type { ApiClient, Watch } from '../harness/api-client.ts'
import { converse, eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import { PATIENCE } from '../harness/patience.ts'

const LEARNED = 'The staging database listens on port 6432.'
const PROMOTED = 'Staging: PostgreSQL listens on port 6432, behind PgBouncer.'

let stub: StubEndpoint
/** Where the agent works, and where the admin sits. */
let story: Story
let office: Story
let database: Database
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: stubProvider(stub) } })
  office = await Story.begin({ beside: story })
  const logger = createLogger({ level: 'silent', pretty: false })
  database = new Database({ url: story.databaseUrl, maxConnections: 2, logger })
})
afterAll(async () => {
  await database.close()
  await office[Symbol.asyncDispose]()
  await story[Symbol.asyncDispose]()
  await stub.close()
})

/** What changes from now on is in them. */
async function untilLive(...watches: readonly Watch<object>[]): Promise<void> {
  for (const watch of watches) await watch.until((update) => JSON.stringify(update).includes('"readList":true'))
}

async function auditOf(subjectId: string): Promise<object[]> {
  return await database.query(
    {
      name: '',
      text: `SELECT actor, token_name, session_id, data->>'change' AS change, data->>'reason' AS reason
        FROM audit_entries WHERE kind = 'KNOWLEDGE' AND data->>'subjectId' = $1 ORDER BY pos`,
    },
    [subjectId],
  )
}

function plannerPrompts(): string[] {
  return stub.calls.filter(({ role }) => role === 'planner').map(({ user }) => user)
}

/** The first review learns something; after it, the turn waits until `go` is there. */
function learnOnce(go: string): (call: StubCall) => StubAnswer {
  const [exec, msg] = GOOD_PLAN.tasks
  const wait = { ...exec, detail: `until [ -e '${go}' ]; do sleep 0.02; done`, expect: 'it is there' }
  let reviews = 0
  return (call) => {
    if (call.role === 'planner') return { content: { ...GOOD_PLAN, tasks: [exec, wait, msg] } }
    if (call.role === 'reviewer') return { content: { ...GOOD_REVIEW, learn: (reviews += 1) === 1 ? LEARNED : null } }
    return answerWell(call)
  }
}

test('what a review learns reaches the inbox, a fact, the next plan, and none after it is invalidated', async () => {
  const [ada, admin] = [story.as('ada'), office.as('ada')]
  await using inbox = admin.watch(api.LearningUpdatesDocument, {})
  await using facts = admin.watch(api.FactUpdatesDocument, {})
  await untilLive(inbox, facts)

  // A review learns something, and the inbox shows it while the turn still runs.
  const go = story.path('go')
  stub.follow({ by: learnOnce(go) })
  await send(ada, 'cli:learn', 'Which port has staging?')
  const learned = await inbox.until(({ learningUpdates }) => learningUpdates.learning !== null)
  const learning = must(learned.learningUpdates.learning, 'the learning')
  expect(learning).toMatchObject({
    content: LEARNED,
    status: 'PENDING',
    user: 'ada',
    session: { id: 'cli:learn' },
    decidedBy: null,
  })
  const pending = await admin.run(api.LearningsDocument, { filter: { status: ['PENDING'] } })
  expect(pending.learnings.edges).toMatchObject([{ node: { id: learning.id, task: { detail: 'echo hi' } } }])

  // The admin promotes it in other words.
  const { promoteLearning } = await admin.run(api.PromoteLearningDocument, { id: learning.id, content: PROMOTED })
  if (promoteLearning.__typename !== 'PromoteLearningPayload') throw new Error(JSON.stringify(promoteLearning))
  const fact = must(promoteLearning.learning.fact, 'its fact')
  expect(fact).toMatchObject({ content: PROMOTED, source: 'MANUAL', version: 1, invalidatedAt: null })
  await inbox.until(({ learningUpdates: { learning: one } }) => one?.id === learning.id && one.status === 'PROMOTED')
  expect((await facts.until(({ factUpdates }) => factUpdates.fact?.id === fact.id)).factUpdates.fact?.content).toBe(
    PROMOTED,
  )

  // The turn goes on; its session's log and tasks know what was learned. Nobody else decides about it.
  await writeFile(go, '')
  await using log = watchAll(ada, 'cli:learn')
  expect(await turnEnd(log)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(log, 'ReviewEvent')).toHaveLength(2)
  const { session } = await ada.run(api.SessionKnowledgeDocument, { id: 'cli:learn' })
  const [first] = must(session, 'the session').turns.edges.map(({ node }) => node)
  expect(first?.factsShown).toEqual([])
  expect(first?.tasks[0]?.review?.learning).toMatchObject({
    id: learning.id,
    status: 'PROMOTED',
    decidedBy: { name: 'ada' },
  })
  expect(plannerPrompts().join()).not.toContain('6432')

  // The next plan, of any session, has it in its prompt.
  const relying = { ...GOOD_PLAN, facts: ['F1'] }
  stub.follow({ by: (call) => (call.role === 'planner' ? { content: relying } : answerWell(call)) })
  const next = await converse(ada, 'cli:other', 'Connect to staging.')
  expect(plannerPrompts().at(-1)).toContain(PROMOTED)
  const used = await admin.run(api.FactUseDocument, { id: fact.id })
  expect(used.node).toMatchObject({ usedBy: { edges: [{ node: { id: next.id, session: { id: 'cli:other' } } }] } })
  const other = await ada.run(api.SessionKnowledgeDocument, { id: 'cli:other' })
  expect(other.session?.turns.edges[0]?.node.factsUsed).toEqual([{ id: fact.id }])
  expect(other.session?.turns.edges[0]?.node.factsShown).toMatchObject([{ id: fact.id, learning: { id: learning.id } }])

  // The admin invalidates it; the plan after has it no more.
  const reason = 'PgBouncer was switched off.'
  await admin.run(api.InvalidateFactDocument, { id: fact.id, reason })
  await facts.until(({ factUpdates: { fact: one } }) => one?.id === fact.id && one.invalidatedAt !== null)
  await converse(ada, 'cli:other', 'Connect to staging again.')
  expect(plannerPrompts().at(-1)).not.toContain(PROMOTED)

  // Who did what is on record.
  const who = { actor: 'ada', token_name: 'ada', session_id: 'cli:learn' }
  expect(await auditOf(learning.id)).toEqual([{ ...who, change: 'PROMOTED', reason: null }])
  expect(await auditOf(fact.id)).toEqual([
    { ...who, change: 'CREATED', reason: null },
    { ...who, change: 'INVALIDATED', reason },
  ])
})

describe('who watches facts and learnings', () => {
  async function createFact(client: ApiClient, content: string): Promise<string> {
    const { createFact: result } = await client.run(api.CreateFactDocument, { content })
    if (result.__typename !== 'CreateFactPayload') throw new Error(JSON.stringify(result))
    return result.fact.id
  }

  test('must be an admin', async () => {
    for (const person of ['ben', 'bridge'] as const) {
      await using facts = office.as(person).watch(api.FactUpdatesDocument, {})
      await using learnings = office.as(person).watch(api.LearningUpdatesDocument, {})
      expect(await facts.ended).toContain('FORBIDDEN')
      expect(await learnings.ended).toContain('FORBIDDEN')
      const refused = await office.as(person).request(api.LearningsDocument, {})
      expect(refused.errors.map(({ extensions }) => extensions?.['code'])).toEqual(['FORBIDDEN'])
    }
  })

  test('is told by WebSocket and server-sent events, of what both processes do', async () => {
    await using socket = office.as('ada').watch(api.FactUpdatesDocument, {})
    await using stream = office.as('ada').watchSse(api.FactUpdatesDocument, {})
    await untilLive(socket, stream)
    const [here, there] = [
      await createFact(office.as('ada'), 'Made here.'),
      await createFact(story.as('ada'), 'Made there.'),
    ]
    for (const watch of [socket, stream]) {
      await watch.until(({ factUpdates }) => factUpdates.fact?.id === here)
      await watch.until(({ factUpdates }) => factUpdates.fact?.id === there)
      expect(watch.received.flatMap(({ factUpdates }) => factUpdates.fact?.content ?? []).sort()).toEqual([
        'Made here.',
        'Made there.',
      ])
    }
  })

  test('is told what a turn learns and the curator makes of it', async () => {
    await using inbox = office.as('ada').watch(api.LearningUpdatesDocument, {})
    await using facts = office.as('ada').watch(api.FactUpdatesDocument, {})
    await untilLive(inbox, facts)
    const learn = 'The nightly backup is kept for 30 days.'
    stub.follow({
      by: (call) => (call.role === 'reviewer' ? { content: { ...GOOD_REVIEW, learn } } : answerWell(call)),
    })
    await converse(story.as('ada'), 'cli:curated', 'How long are backups kept?')
    const promoted = await inbox.until(({ learningUpdates: { learning } }) => learning?.status === 'PROMOTED')
    expect(promoted.learningUpdates.learning).toMatchObject({ content: learn, decidedBy: { name: 'curator' } })
    const made = await facts.until(({ factUpdates: { fact } }) => fact?.source === 'CURATOR')
    expect(await auditOf(made.factUpdates.fact?.id ?? '')).toMatchObject([{ actor: 'curator', change: 'CREATED' }])
  })

  test('is asked to read the list again when notifications could not be received for a while', async () => {
    await using watch = office.as('ada').watch(api.FactUpdatesDocument, {})
    await untilLive(watch)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'factotum doorbell' AND datname = current_database()`
    await database.query({ name: '', text: cut }, [])
    await vi.waitFor(
      () => expect(watch.received.filter(({ factUpdates }) => factUpdates.readList)).toHaveLength(2),
      PATIENCE,
    )
  })
})
