/**
 * Checkpoints that fail, and processes that die or come too late: the cursor stays where it is until one has succeeded,
 * and then a span was covered once.
 */
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import type { ApiClient, Watch } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const SESSION = 'cli:demo'
const LEARNED = 'The build server of the shop is called Otto.'
const NOTES = { ...GOOD_INTROSPECTION, workingMemory: 'They asked for the build server.', learnings: [LEARNED] }

const BROKEN: StubAnswer = { status: 401, body: { error: { message: 'no such key' } } }

/** Answers well, without commands; the introspector as `introspect` says. */
const thinking =
  (introspect: (call: StubCall) => StubAnswer) =>
  (call: StubCall): StubAnswer => {
    if (call.role === 'introspector') return introspect(call)
    return call.role === 'planner' ? { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) } } : answerWell(call)
  }

interface Scene {
  readonly client: ApiClient
  readonly watch: Watch<api.WatchSessionSubscription>
  readonly query: (text: string) => Promise<object[]>
  readonly ask: (client?: ApiClient) => Promise<string>
  /** Nobody waits: what is to be tried again later, is now; the process that holds the checkpoint has lost it. */
  readonly makeDue: () => Promise<void>
}

/** A session in which a turn has ended. */
async function begin(place: Pick<Scene, 'client' | 'query'>): Promise<Scene & AsyncDisposable> {
  const { client, query } = place
  await send(client, SESSION, 'What is the build server called?')
  const watch = watchAll(client, SESSION)
  await turnEnd(watch)
  return {
    ...place,
    watch,
    ask: async (asking = client) =>
      (await asking.run(api.CheckpointSessionDocument, { sessionId: SESSION })).checkpointSession.__typename,
    makeDue: async () => {
      await query('UPDATE checkpoints SET ready_at = now(), leased_until = now()')
    },
    [Symbol.asyncDispose]: () => watch.close(),
  }
}

const checkpointsIn = ({ watch }: Scene) => eventsOf(watch, 'CheckpointEvent')

async function checkpoints({ watch }: Scene, count: number): Promise<void> {
  let seen = 0
  await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent' && ++seen === count)
}

const memoryOf = ({ query }: Pick<Scene, 'query'>) =>
  query('SELECT working_memory, checkpoint_seq, checkpoint_turns FROM sessions')
const learningsOf = ({ query }: Pick<Scene, 'query'>) => query('SELECT content FROM learnings')
const rowsOf = ({ query }: Scene) => query('SELECT failures, ready_at > now() AS waits, run_id FROM checkpoints')
const spentIn = ({ query }: Pick<Scene, 'query'>) =>
  query(`SELECT count(*)::int AS calls FROM audit_entries WHERE data->>'role' = 'introspector'`)

const DONE = { working_memory: NOTES.workingMemory, checkpoint_seq: 1, checkpoint_turns: 1 }

describe('in one process or two', () => {
  let answer: StubAnswer = ''
  let model: StubEndpoint
  let story: Story
  let database: pg.Client
  beforeEach(async () => {
    model = await StubEndpoint.start({ by: thinking(() => answer) })
    story = await Story.begin({ config: { toml: stubProvider(model) } })
    database = new pg.Client({ connectionString: story.databaseUrl })
    await database.connect()
  })
  afterEach(async () => {
    await database.end()
    await story[Symbol.asyncDispose]()
    await model.close()
  })
  const play = () =>
    begin({ client: story.as('ada'), query: async (text) => (await database.query<object>(text)).rows })
  const prompts = () => model.calls.flatMap(({ role, user }) => (role === 'introspector' ? [user] : []))

  test('one that fails changes nothing but the account, and is tried again later over the same', async () => {
    answer = BROKEN
    await using scene = await play()
    await scene.ask()
    await checkpoints(scene, 1)
    expect(checkpointsIn(scene)).toMatchObject([
      { checkpointTrigger: 'MANUAL', ok: false, failure: expect.stringContaining('The language model cannot be used') },
    ])
    expect(await memoryOf(scene)).toEqual([{ working_memory: '', checkpoint_seq: 0, checkpoint_turns: 0 }])
    expect(await rowsOf(scene)).toEqual([{ failures: 1, waits: true, run_id: null }])
    await scene.makeDue()
    await checkpoints(scene, 2)
    expect(await rowsOf(scene)).toEqual([{ failures: 2, waits: true, run_id: null }])

    // By hand it need not wait.
    answer = { content: NOTES }
    expect(await scene.ask()).toBe('CheckpointSessionPayload')
    await checkpoints(scene, 3)
    expect(checkpointsIn(scene).map(({ ok }) => ok)).toEqual([false, false, true])
    expect(await memoryOf(scene)).toEqual([DONE])
    expect(await rowsOf(scene)).toEqual([])
    expect(await spentIn(scene)).toEqual([{ calls: 3 }])
    expect(prompts().every((prompt) => prompt.includes('What is the build server called?'))).toBe(true)
  })

  test('one that always fails is given up', async () => {
    answer = BROKEN
    await using scene = await play()
    await scene.ask()
    for (let failures = 1; failures <= 6; failures++) {
      await checkpoints(scene, failures)
      await scene.makeDue()
    }
    expect(await rowsOf(scene)).toEqual([])
    expect(await memoryOf(scene)).toEqual([{ working_memory: '', checkpoint_seq: 0, checkpoint_turns: 0 }])
  })

  test('a process that stops leaves it to another at once', async () => {
    const asked = Promise.withResolvers<void>()
    answer = () => asked.resolve()
    await using scene = await play()
    await scene.ask()
    await asked.promise
    answer = { content: NOTES }
    await using other = await Story.begin({ beside: story })
    await using watch = watchAll(other.as('ada'), SESSION)
    await story.app.stop()
    await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent')
    expect(eventsOf(watch, 'CheckpointEvent')).toMatchObject([{ checkpointTrigger: 'MANUAL', ok: true }])
    expect(await memoryOf(scene)).toEqual([DONE])
    expect(await learningsOf(scene)).toEqual([{ content: LEARNED }])
  })

  test('of two processes one makes it, whichever is asked', async () => {
    answer = { content: NOTES }
    await using other = await Story.begin({ beside: story })
    await using scene = await play()
    const asking = [story.as('ada'), other.as('ada'), story.as('ada'), other.as('ada')]
    await Promise.all(asking.map((client) => scene.ask(client)))
    await checkpoints(scene, 1)
    expect(prompts()).toHaveLength(1)
    expect(await learningsOf(scene)).toEqual([{ content: LEARNED }])
    expect(await rowsOf(scene)).toEqual([])
  })
})

describe('a process', () => {
  test('is killed in the middle: another one makes it, once', async () => {
    const asked = Promise.withResolvers<void>()
    let calls = 0
    await using model = await StubEndpoint.start({
      by: thinking(() => {
        calls += 1
        return calls === 1 ? () => asked.resolve() : { content: NOTES }
      }),
    })
    await using cluster = await Cluster.begin({ config: { toml: stubProvider(model) } })
    const first = await cluster.start()
    await using scene = await begin({ client: clientOf(first, 'ada'), query: (text) => cluster.query(text) })
    await scene.ask()
    await asked.promise
    await first.kill()

    const survivor = clientOf(await cluster.start(), 'ada')
    // What it had claimed lasts some seconds beyond its death.
    await scene.makeDue()
    await using watch = watchAll(survivor, SESSION)
    await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent')
    expect(eventsOf(watch, 'CheckpointEvent')).toMatchObject([{ checkpointTrigger: 'MANUAL', ok: true }])
    expect(calls).toBe(2)
    expect(await learningsOf(scene)).toEqual([{ content: LEARNED }])
    expect(await memoryOf(scene)).toEqual([DONE])
  })

  test('comes back too late: it writes nothing but what it has cost', async () => {
    const asked = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    let calls = 0
    const answerLate: StubAnswer = (response) => {
      void late.promise.then(() => response.writeHead(500).end())
    }
    await using model = await StubEndpoint.start({
      by: thinking(() => {
        calls += 1
        if (calls === 1) asked.resolve()
        return calls === 1 ? answerLate : { content: NOTES }
      }),
    })
    await using cluster = await Cluster.begin({ config: { toml: stubProvider(model) } })
    const first = await cluster.start()
    await using scene = await begin({ client: clientOf(first, 'ada'), query: (text) => cluster.query(text) })
    await scene.ask()
    await asked.promise
    // It hangs for so long that its claim runs out, and another one comes.
    first.signal('SIGSTOP')
    await scene.makeDue()
    const other = clientOf(await cluster.start(), 'ada')
    await using watch = watchAll(other, SESSION)
    await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent')
    first.signal('SIGCONT')
    late.resolve()
    await expect.poll(() => spentIn(scene)).toEqual([{ calls: 2 }])
    expect(await memoryOf(scene)).toEqual([DONE])
    expect(await learningsOf(scene)).toEqual([{ content: LEARNED }])
    expect(eventsOf(watch, 'CheckpointEvent')).toHaveLength(1)
  })
})
