/**
 * Checkpoints: the introspector goes over what was said since the last one, for each of the four reasons, beside the
 * turns, once for each span. The model is a stub that tells what it was shown.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import * as api from '../generated/graphql.ts'
import type { ApiClient, Watch } from '../harness/api-client.ts'
import { converse, eventsOf, send, Story, tokenOf, turnEnd, watchAll, type Person } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_INTROSPECTION, GOOD_PLAN } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

const TURNS = 3
const PRICES = '\n[prices."stub:stub-1"]\ninput = 10000\noutput = 10000\n'

let stub: StubEndpoint
let story: Story
let database: Database
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  const settings = { introspection_turns: TURNS, summarize_threshold: 100 }
  story = await Story.begin({ config: { settings, toml: `${stubProvider(stub)}${PRICES}[curation]\nuser = "auto"\n` } })
  database = openDatabase(story)
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(() => {
  stub.calls.length = 0
  think({})
})

function openDatabase(of: Story): Database {
  const logger = createLogger({ level: 'silent', pretty: false })
  return new Database({ url: of.databaseUrl, maxConnections: 2, logger })
}

type Minds = Partial<Record<StubCall['role'], (call: StubCall) => StubAnswer>>

/** What the model does, by role; where nothing is said it behaves, and runs no commands. */
function think(minds: Minds): void {
  const talk = { content: { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) } }
  stub.follow({ by: (call) => minds[call.role]?.(call) ?? (call.role === 'planner' ? talk : answerWell(call)) })
}

const introspection = (more: object) => (): StubAnswer => ({ content: { ...GOOD_INTROSPECTION, ...more } })

/** Leaves the next call of `role` without an answer until there is one. */
function hold(role: StubCall['role']): { readonly asked: Promise<void>; readonly answer: (content: object) => void } {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<object>()
  let isHeld = false
  think({
    [role]: (call: StubCall): StubAnswer => {
      if (isHeld) return answerWell(call)
      isHeld = true
      asked.resolve()
      return (response) => {
        void released.promise.then((content) => {
          const choice = {
            index: 0,
            delta: { role: 'assistant', content: JSON.stringify(content) },
            finish_reason: 'stop',
          }
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.end(`${sse(chunk([choice]))}data: [DONE]\n\n`)
        })
      }
    },
  })
  return {
    asked: asked.promise,
    answer: (content) => released.resolve(content),
  }
}

const sql = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
  database.query<Row>({ name: '', text }, values)

type Log = Watch<api.WatchSessionSubscription>
type CheckpointEvent = ReturnType<typeof checkpointsIn>[number]

const checkpointsIn = (watch: Log) => eventsOf(watch, 'CheckpointEvent')

/** The `nth` checkpoint of the session's log. */
async function checkpointOf(watch: Log, nth = 1): Promise<CheckpointEvent> {
  let seen = 0
  await watch.until(({ sessionEvents: event }) => event.__typename === 'CheckpointEvent' && ++seen === nth)
  const found = checkpointsIn(watch)[nth - 1]
  if (found === undefined) throw new Error('no such checkpoint')
  return found
}

async function ask(client: ApiClient, sessionId: string): Promise<api.CheckpointSessionMutation['checkpointSession']> {
  return (await client.run(api.CheckpointSessionDocument, { sessionId })).checkpointSession
}

async function memoryOf(sessionId: string) {
  return (await story.as('ada').run(api.SessionMemoryDocument, { id: sessionId })).session
}

const promptsOf = (role: StubCall['role']): string[] =>
  stub.calls.filter((call) => call.role === role).map(({ user }) => user)

describe('a checkpoint that a caller asks for', () => {
  test('notes what the next planner is shown, labels the session, and leaves candidates for facts', async () => {
    const ben = story.as('ben')
    await converse(ben, '@ben:asked', 'I like tables.')
    const learned = [
      'The reports of the shop are written by Grace.',
      'Yes.',
      'The token is hunter2x7 = secret: abc123def',
    ]
    think({
      introspector: introspection({ workingMemory: 'Ben wants tables.', description: 'Reports', learnings: learned }),
    })
    await using watch = watchAll(ben, '@ben:asked')
    const before = await memoryOf('@ben:asked')
    expect(await ask(ben, '@ben:asked')).toMatchObject({ __typename: 'CheckpointSessionPayload' })
    expect(await checkpointOf(watch)).toMatchObject({
      checkpointTrigger: 'MANUAL',
      ok: true,
      failure: null,
      turnId: null,
    })
    const after = await memoryOf('@ben:asked')
    expect(after).toMatchObject({
      workingMemory: 'Ben wants tables.',
      description: 'Reports',
      descriptionSource: 'INTROSPECTION',
      lastActivityAt: before?.lastActivityAt,
    })
    // The description changed, which pages that show it are told.
    await watch.until(({ sessionEvents: event }) => event.__typename === 'SessionUpdatedEvent')

    const [shown] = promptsOf('introspector')
    expect(shown).toContain('I like tables.')
    expect(shown).toContain('It printed hi.')
    // A job has the curator judge what was learned; no turn is needed.
    const judged = () => sql('SELECT content, status, user_name, turn_id, task_id FROM learnings ORDER BY id')
    const byCheckpoint = { user_name: 'ben', turn_id: null, task_id: null }
    await expect.poll(judged, { interval: 100 }).toEqual([
      { content: learned[0], status: 'PROMOTED', ...byCheckpoint },
      { content: 'Yes.', status: 'REFUSED', ...byCheckpoint },
      { content: expect.stringContaining('[REDACTED]'), status: 'REFUSED', ...byCheckpoint },
    ])
    await converse(ben, '@ben:asked', 'And now?')
    expect(promptsOf('planner').at(-1)).toMatch(
      /# Notes on this conversation\n\n<<<DATA_WORKING_MEMORY_\w+>>>\nBen wants tables\./,
    )
    expect(promptsOf('messenger').at(-1)).not.toContain('Ben wants tables.')
  })
})

test('a label that a client gave stays, also one that it gives meanwhile', async () => {
  const ben = story.as('ben')
  await ben.run(api.OpenSessionDocument, { input: { id: '@ben:named', description: 'My own' } })
  await converse(ben, '@ben:named', 'Hello.')
  await using watch = watchAll(ben, '@ben:named')
  think({ introspector: introspection({ description: 'Greetings' }) })
  await ask(ben, '@ben:named')
  await checkpointOf(watch)
  expect(promptsOf('introspector')[0]).toContain('It was written by a client and is not yours to write')
  expect(await memoryOf('@ben:named')).toMatchObject({ description: 'My own', descriptionSource: 'CLIENT' })

  await ben.run(api.UpdateSessionDocument, { input: { id: '@ben:named', description: null } })
  await converse(ben, '@ben:named', 'Hello again.')
  const held = hold('introspector')
  await ask(ben, '@ben:named')
  await held.asked
  await ben.run(api.UpdateSessionDocument, { input: { id: '@ben:named', description: 'Mine again' } })
  held.answer({ ...GOOD_INTROSPECTION, description: 'Greetings' })
  await checkpointOf(watch, 2)
  expect(promptsOf('introspector')[1]).toContain('There is none.')
  expect(await memoryOf('@ben:named')).toMatchObject({ description: 'Mine again', descriptionSource: 'CLIENT' })
})

test('turns go on beside it; what is still being worked on is left for the next one', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:beside', 'The first message.')
  const thinking = hold('planner')
  await send(ben, '@ben:beside', 'The second message.')
  await thinking.asked
  await using watch = watchAll(ben, '@ben:beside')
  const noting = hold('introspector')
  await ask(ben, '@ben:beside')
  await noting.asked
  thinking.answer({ ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) })
  await turnEnd(watch, 2)
  noting.answer(GOOD_INTROSPECTION)
  await checkpointOf(watch)

  await ask(ben, '@ben:beside')
  await checkpointOf(watch, 2)
  const [first = '', second = ''] = promptsOf('introspector')
  expect(first).toContain('The first message.')
  expect(first).not.toContain('The second message.')
  expect(second).toContain('The second message.')
  expect(second).not.toContain('The first message.')
})

test('of a long time the newest is told, in bounds; strangers are only retold', async () => {
  const ben = story.as('ben')
  const sessionId = '@ben:long'
  await ben.run(api.OpenSessionDocument, { input: { id: sessionId } })
  await ben.run(api.AddParticipantDocument, { sessionId, user: 'cleo' })
  for (let n = 1; n <= 30; n++) {
    const content = `Note ${n}. ${'So it goes. '.repeat(500)}`
    await ben.run(api.AppendMessageDocument, { input: { sessionId, content } })
  }
  await story
    .as('bridge')
    .run(api.AppendMessageDocument, { input: { sessionId, content: 'Raw words.', user: 'eve#1' } })
  await using watch = watchAll(ben, sessionId)
  await ask(ben, sessionId)
  await checkpointOf(watch)
  const [prompt = ''] = promptsOf('introspector')
  expect(prompt.length).toBeLessThan(80_000)
  expect(prompt).toContain('Note 30.')
  expect(prompt).not.toContain('Note 1.')
  expect(prompt).toContain('Older messages since the last time are left out')
  expect(prompt).not.toContain('Raw words.')
  // All of it is behind the cursor all the same.
  expect(await ask(ben, sessionId)).toMatchObject({ __typename: 'ConflictRefusal' })
})

test('what it costs is on the account of the session and of its user; no secret goes in or comes out', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:costs', 'Hello.')
  const before = await memoryOf('@ben:costs')
  // A token of the configuration: a secret that the server knows.
  const token = tokenOf('cleo')
  think({
    introspector: introspection({ workingMemory: `It is ${token}.`, learnings: [`The token of the shop: ${token}`] }),
  })
  await using watch = watchAll(ben, '@ben:costs')
  await ask(ben, '@ben:costs')
  await checkpointOf(watch)
  const after = await memoryOf('@ben:costs')
  expect(after?.workingMemory).toBe('It is [REDACTED].')
  expect(await sql('SELECT status, content FROM learnings WHERE session_id = $1', '@ben:costs')).toEqual([
    { status: 'REFUSED', content: expect.not.stringContaining(token) },
  ])
  expect(after?.usage.calls).toBe((before?.usage.calls ?? 0) + 1)
  expect(Number(after?.usage.cost?.amount)).toBeGreaterThan(Number(before?.usage.cost?.amount ?? 0))
  const audit = await sql(
    `SELECT kind, actor, turn_id, data->>'role' AS role, data->>'change' AS change FROM audit_entries
      WHERE session_id = $1 AND (data->>'role' = 'introspector' OR data->>'change' = 'CHECKPOINT_REQUESTED') ORDER BY pos`,
    '@ben:costs',
  )
  expect(audit).toEqual([
    { kind: 'SESSION', actor: 'ben', turn_id: null, role: null, change: 'CHECKPOINT_REQUESTED' },
    { kind: 'MODEL_CALL', actor: 'ben', turn_id: null, role: 'introspector', change: null },
  ])
})

test('with a budget that is used up nothing is asked, and it is tried again when there is a new one', async () => {
  // What planner and messenger use.
  const budget = '[budgets]\nsession_tokens_per_day = 240\n'
  await using poor = await Story.begin({ config: { toml: `${stubProvider(stub)}${budget}` } })
  const ben = poor.as('ben')
  await converse(ben, '@ben:poor', 'Hello.')
  await using watch = watchAll(ben, '@ben:poor')
  await ask(ben, '@ben:poor')
  expect(await checkpointOf(watch)).toMatchObject({
    ok: false,
    failure: expect.stringContaining('The budget of this session (240 tokens a day) is used up for today.'),
  })
  expect(promptsOf('introspector')).toEqual([])
  const rows = openDatabase(poor)
  const untilTomorrow = `SELECT ready_at >= date_trunc('day', now(), 'UTC') + interval '1 day' AS waits FROM checkpoints`
  expect(await rows.query({ name: '', text: untilTomorrow }, [])).toEqual([{ waits: true }])
  await rows.close()
})

describe('a checkpoint is refused', () => {
  test('where nothing was said, or everything was gone over', async () => {
    const ben = story.as('ben')
    const sessionId = '@ben:quiet'
    await ben.run(api.OpenSessionDocument, { input: { id: sessionId } })
    const nothing = { __typename: 'ConflictRefusal', problem: expect.stringContaining('there is nothing to go over') }
    expect(await ask(ben, sessionId)).toMatchObject(nothing)

    await converse(ben, sessionId, 'Hello.')
    await using watch = watchAll(ben, sessionId)
    await ask(ben, sessionId)
    await checkpointOf(watch)
    expect(await ask(ben, sessionId)).toMatchObject(nothing)
  })

  test('while one is being made, and for whom there is no such session', async () => {
    const ben = story.as('ben')
    await converse(ben, '@ben:busy', 'Hello.')
    const held = hold('introspector')
    await using watch = watchAll(ben, '@ben:busy')
    await ask(ben, '@ben:busy')
    await held.asked
    expect(await ask(story.as('ada'), '@ben:busy')).toMatchObject({
      __typename: 'ConflictRefusal',
      problem: expect.stringContaining('is being made'),
    })
    expect(await ask(story.as('cleo'), '@ben:busy')).toMatchObject({ __typename: 'NotFoundRefusal' })
    expect(await ask(ben, 'cli:nowhere')).toMatchObject({ __typename: 'NotFoundRefusal' })
    held.answer(GOOD_INTROSPECTION)
    expect(await checkpointOf(watch)).toMatchObject({ ok: true })
    expect(promptsOf('introspector')).toHaveLength(1)
  })
})

test('after so many turns one is made by itself, of what was said since the last one', async () => {
  const ben = story.as('ben')
  await ben.run(api.OpenSessionDocument, { input: { id: '@ben:turns' } })
  await using watch = watchAll(ben, '@ben:turns')
  for (let n = 1; n <= 2 * TURNS; n++) {
    await converse(ben, '@ben:turns', `This is message ${n}.`)
    if (n % TURNS === 0) await checkpointOf(watch, n / TURNS)
  }
  const [first = '', second = ''] = promptsOf('introspector')
  expect(checkpointsIn(watch)).toMatchObject([
    { checkpointTrigger: 'TURN_LIMIT', ok: true },
    { checkpointTrigger: 'TURN_LIMIT', ok: true },
  ])
  expect(first.match(/This is message \d/g)).toEqual([1, 2, 3].map((n) => `This is message ${n}`))
  expect(second.match(/This is message \d/g)).toEqual([4, 5, 6].map((n) => `This is message ${n}`))
  expect(second).toContain(GOOD_INTROSPECTION.workingMemory)
  expect(promptsOf('introspector')).toHaveLength(2)
})

test('a caller who starts a fresh session has the one before gone over', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:before', 'Remember the shop.')
  await using watch = watchAll(ben, '@ben:before')
  const open = async (previousSessionId: string, who: Person = 'ben') => {
    const input = { id: `@${who}:after-${previousSessionId}`, previousSessionId }
    return (await story.as(who).run(api.OpenSessionDocument, { input })).openSession
  }
  expect(await open('@ben:before')).toMatchObject({ created: true })
  expect(await checkpointOf(watch)).toMatchObject({ checkpointTrigger: 'NEW_SESSION', ok: true })
  const before = async () => (await ben.run(api.SessionDocument, { id: '@ben:before' })).session?.status
  expect(await before()).toBe('INACTIVE')
  expect(await open('@ben:before')).toMatchObject({ created: false })

  expect(await open('@ben:before', 'cleo')).toMatchObject({ __typename: 'NotFoundRefusal', missingId: '@ben:before' })
  expect(await open('cli:nowhere')).toMatchObject({ __typename: 'NotFoundRefusal' })
  const { session } = await story.as('ada').run(api.SessionMemoryDocument, { id: '@ben:after-cli:nowhere' })
  expect(session).toBeNull()
  const itself = { id: '@ben:before', previousSessionId: '@ben:before' }
  expect((await ben.run(api.OpenSessionDocument, { input: itself })).openSession).toMatchObject({
    __typename: 'InvalidInputRefusal',
  })
  expect(checkpointsIn(watch)).toHaveLength(1)
})

test('a session that goes idle is gone over once', async () => {
  await using idle = await Story.begin({ config: { settings: { introspection_idle: 2 }, toml: stubProvider(stub) } })
  const ben = idle.as('ben')
  const held = hold('planner')
  await send(ben, '@ben:idle', 'Think about it.')
  await held.asked
  await using watch = watchAll(ben, '@ben:idle')
  // Another session goes idle meanwhile: the one whose turn runs does not.
  await send(idle.as('ada'), 'cli:other', 'Hello.')
  await using other = watchAll(idle.as('ada'), 'cli:other')
  expect(await checkpointOf(other)).toMatchObject({ checkpointTrigger: 'IDLE', ok: true })
  expect(checkpointsIn(watch)).toEqual([])

  held.answer({ ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) })
  await turnEnd(watch)
  expect(await checkpointOf(watch)).toMatchObject({ checkpointTrigger: 'IDLE', ok: true })
  // Again only when something was said.
  await send(ben, '@ben:idle', 'And then?')
  expect(await checkpointOf(watch, 2)).toMatchObject({ checkpointTrigger: 'IDLE', ok: true })
  expect(promptsOf('introspector').filter((prompt) => prompt.includes('Think about it.'))).toHaveLength(1)
  expect(promptsOf('introspector')).toHaveLength(3)
})
