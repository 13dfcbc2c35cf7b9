/** A provider that is away: turns wait instead of failing, and go on where they were; another model is asked first. */
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { select } from '../harness/plugins.ts'
import { eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubCall } from '../model/stub-endpoint.ts'
import { CancelTurnDocument, OpenSessionDocument, ReloadSecretsDocument, TurnDocument } from '../generated/graphql.ts'

let story: Story
beforeAll(async () => {
  story = await Story.begin()
})
afterAll(() => story[Symbol.asyncDispose]())

const AWAY = { status: 503, body: { error: { message: 'Down for maintenance' } } }
const WAITS = { provider_outage_wait: 3600 }

test('a turn waits while the provider is away, and goes on when it is back; what was planned is not planned again', async () => {
  await using stub = await StubEndpoint.start({ by: (call) => (call.role === 'planner' ? answerWell(call) : AWAY) })
  const config = { toml: stubProvider(stub), settings: WAITS }
  await using _stub = await story.reconfigureForNow(storyConfig(config))
  const ada = story.as('ada')
  const id = await pausedTurn(ada, 'cli:away')
  await using watch = watchAll(ada, 'cli:away')
  const paused = await ada.run(TurnDocument, { id })
  expect(paused.turn).toMatchObject({
    status: 'RUNNING',
    pausedReason: `The language model cannot be reached at the moment; try again later (reference ${id}). The turn goes on by itself as soon as it can.`,
  })

  stub.follow({ by: answerWell })
  // An operator who changes the configuration need not wait.
  await story.reconfigure(storyConfig({ ...config, settings: { ...WAITS, max_queued: 99 } }))
  expect(await turnEnd(watch)).toMatchObject({ turnId: id, turnStatus: 'DONE' })
  expect(stub.calls.filter(({ role }) => role === 'planner')).toHaveLength(1)
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)
})

test('a turn that waits as long as the provider asks goes on at once with another key', async () => {
  const busy = { status: 429, headers: { 'retry-after': '900' }, body: { error: { message: 'This key is used up' } } }
  const isFresh = ({ headers }: StubCall): boolean => headers.authorization === 'Bearer sk-fresh-1234567'
  await using stub = await StubEndpoint.start({ by: (call) => (isFresh(call) ? answerWell(call) : busy) })
  const toml = stubProvider(stub).replace('[models]', 'api_key_env = "STUB_KEY"\n[models]')
  await using _stub = await story.reconfigureForNow(storyConfig({ toml, settings: WAITS }))
  const writeKey = (key: string) => writeFile(join(story.home, '.env'), `STUB_KEY=${key}\n`, { mode: 0o600 })
  await writeKey('sk-used-up-1234567')
  const ada = story.as('ada')
  const id = await pausedTurn(ada, 'cli:keys')
  await using watch = watchAll(ada, 'cli:keys')
  await writeKey('sk-fresh-1234567')
  expect(await turnEnd(watch)).toMatchObject({ turnId: id, turnStatus: 'DONE' })
})

test('a key, or a configuration, that is changed while the provider answers is not waited for', async () => {
  const answering: ServerResponse[] = []
  const asked = async (count: number): Promise<void> => {
    await expect.poll(() => answering.length).toBe(count)
  }
  await using stub = await StubEndpoint.start({ always: (response) => void answering.push(response) })
  const refuse = (): void => {
    answering.at(-1)?.writeHead(429, { 'retry-after': '900', 'content-type': 'application/json' }).end('{}')
  }
  const toml = stubProvider(stub).replace('[models]', 'api_key_env = "STUB_KEY"\n[models]')
  await using _stub = await story.reconfigureForNow(storyConfig({ toml, settings: WAITS }))
  const writeKey = (key: string) => writeFile(join(story.home, '.env'), `STUB_KEY=${key}\n`, { mode: 0o600 })
  await writeKey('sk-used-up-1234567')
  const ada = story.as('ada')
  await send(ada, 'cli:moment', 'run: uptime')
  await asked(1)
  await writeKey('sk-newest-1234567')
  await ada.run(ReloadSecretsDocument)
  refuse()
  await asked(2)
  await story.reconfigure(storyConfig({ toml, settings: { ...WAITS, max_queued: 99 } }))
  stub.follow({ by: answerWell })
  refuse()
  await using watch = watchAll(ada, 'cli:moment')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(2)
})

test('of an answer that broke off nothing stays when the model calls something in its place', async () => {
  const begun = Promise.withResolvers<ServerResponse>()
  const breaksOff = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of [{ reasoning: 'What may there be? ' }, { content: 'I will have ' }])
      response.write(sse(chunk([{ index: 0, delta, finish_reason: null }])))
    begun.resolve(response)
  }
  await using stub = await StubEndpoint.start({ always: breaksOff })
  const config = { toml: stubProvider(stub), settings: WAITS }
  await using _stub = await story.reconfigureForNow(storyConfig(config))
  const ada = story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:half', mode: 'CHAT' } })
  await send(ada, 'cli:half', 'What is there?')
  await using watch = watchAll(ada, 'cli:half')
  for (const piece of ['ThinkingEvent', 'TextDeltaEvent'])
    await watch.until(({ sessionEvents: event }) => event.__typename === piece)
  const response = await begun.promise
  response.destroy()
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')

  const call = { id: 'c', type: 'function', function: { name: 'exec', arguments: '{"command":"echo found"}' } }
  stub.follow({ list: [{ toolCalls: [call], finishReason: 'tool_calls' }, 'It is found.'] })
  await story.reconfigure(storyConfig({ ...config, settings: { ...WAITS, max_queued: 99 } }))
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  const tasks = `SELECT type, status, suppressed, output FROM tasks WHERE session_id = 'cli:half' ORDER BY index`
  expect(await select(story, tasks)).toEqual([
    { type: 'MSG', status: 'DONE', suppressed: true, output: null },
    { type: 'EXEC', status: 'DONE', suppressed: false, output: 'found\n' },
    { type: 'MSG', status: 'DONE', suppressed: false, output: 'It is found.' },
  ])
  const pieces = `SELECT data FROM events WHERE session_id = 'cli:half' AND type IN ('TextDelta', 'Thinking')`
  expect(await select(story, pieces)).toEqual([])
})

test('of a text that broke off no pieces stay when its turn is cancelled while it waits', async () => {
  const begun = Promise.withResolvers<ServerResponse>()
  const breaksOff = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(sse(chunk([{ index: 0, delta: { content: 'I will have ' }, finish_reason: null }])))
    begun.resolve(response)
  }
  await using stub = await StubEndpoint.start({ always: breaksOff })
  await using _stub = await story.reconfigureForNow(storyConfig({ toml: stubProvider(stub), settings: WAITS }))
  const ada = story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:left', mode: 'CHAT' } })
  await send(ada, 'cli:left', 'What is there?')
  await using watch = watchAll(ada, 'cli:left')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TextDeltaEvent')
  const response = await begun.promise
  response.destroy()
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  await ada.run(CancelTurnDocument, { sessionId: 'cli:left' })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
  const pieces = `SELECT data FROM events WHERE session_id = 'cli:left' AND type = 'TextDelta'`
  expect(await select(story, pieces)).toEqual([])
})

test('a turn that is cancelled while it is being paused ends at once, and no other asks the provider for that', async () => {
  const answering: ServerResponse[] = []
  const refuse = async (count: number): Promise<void> => {
    await expect.poll(() => answering.length).toBe(count)
    answering.at(-1)?.writeHead(429, { 'retry-after': '900', 'content-type': 'application/json' }).end('{}')
  }
  await using stub = await StubEndpoint.start({ always: (response) => void answering.push(response) })
  await using _stub = await story.reconfigureForNow(storyConfig({ toml: stubProvider(stub), settings: WAITS }))
  const ada = story.as('ada')
  await send(ada, 'cli:other', 'run: uptime')
  await using other = watchAll(ada, 'cli:other')
  await refuse(1)
  await other.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  await send(ada, 'cli:cancelled', 'run: uptime')
  await using watch = watchAll(ada, 'cli:cancelled')
  await expect.poll(() => answering.length).toBe(2)
  await select(story, `UPDATE turns SET cancel_requested = true WHERE session_id = 'cli:cancelled'`)
  await refuse(2)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
  const waits = `SELECT owner, ready_at > now() AS waits FROM sessions WHERE id = 'cli:other'`
  expect(await select(story, waits)).toEqual([{ owner: null, waits: true }])
  expect(answering).toHaveLength(2)
  await ada.run(CancelTurnDocument, { sessionId: 'cli:other' })
  expect(await turnEnd(other)).toMatchObject({ turnStatus: 'CANCELLED' })
})

test('a turn fails when the outage has lasted too long', async () => {
  await using stub = await StubEndpoint.start({ always: AWAY })
  const config = { toml: stubProvider(stub), settings: WAITS }
  await using _stub = await story.reconfigureForNow(storyConfig(config))
  const ada = story.as('ada')
  await pausedTurn(ada, 'cli:long')
  await using watch = watchAll(ada, 'cli:long')
  await story.reconfigure(storyConfig({ ...config, settings: { provider_outage_wait: 0.1 } }))
  const failure = expect.stringMatching(
    /^The language model cannot be reached at the moment; try again later \(reference /,
  )
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'FAILED', failure })
})

test('a turn that waits goes on after a kill of its server, by the clock of the queue, and not from the beginning', async () => {
  await using stub = await StubEndpoint.start({ by: (call) => (call.role === 'planner' ? answerWell(call) : AWAY) })
  await using cluster = await Cluster.begin({ config: { toml: stubProvider(stub), settings: WAITS } })
  const first = await cluster.start()
  const id = await pausedTurn(clientOf(first, 'ada'), 'cli:killed')
  await first.kill()

  // It is asked at once: an outage may have ended while no process ran. The provider is still away.
  const second = await cluster.start()
  const ada = clientOf(second, 'ada')
  await using watch = watchAll(ada, 'cli:killed')
  let waits = 0
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent' && ++waits === 2)

  stub.follow({ by: answerWell })
  // A quarter of a minute passes; no notification comes.
  await cluster.query(`UPDATE sessions SET ready_at = now() WHERE id = 'cli:killed' AND ready_at > now()`)
  expect(await turnEnd(watch)).toMatchObject({ turnId: id, turnStatus: 'DONE' })
  expect(stub.calls.filter(({ role }) => role === 'planner')).toHaveLength(1)
})

/** Sends a message whose turn comes to wait; its id. */
async function pausedTurn(ada: ApiClient, sessionId: string): Promise<string> {
  await send(ada, sessionId, 'Say hi')
  await using watch = watchAll(ada, sessionId)
  const { sessionEvents } = await watch.until(({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent')
  return sessionEvents.turnId ?? ''
}

test('the next model of the list answers when the first cannot be had', async () => {
  await using stub = await StubEndpoint.start({
    by: (call) => (call.model === 'first' ? { status: 401, body: { error: { message: 'No' } } } : answerWell(call)),
  })
  const toml = stubProvider(stub).replace(/planner = .*/, 'planner = ["stub:first", "stub:second"]')
  await using _stub = await story.reconfigureForNow(storyConfig({ toml }))
  const ada = story.as('ada')
  await send(ada, 'cli:list', 'Say hi')
  await using watch = watchAll(ada, 'cli:list')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(stub.calls.slice(0, 2).map(({ model }) => model)).toEqual(['first', 'second'])
  expect(new Set(stub.calls.map(({ model }) => model))).toEqual(new Set(['first', 'second']))
})
