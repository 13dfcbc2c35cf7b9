/** What was said in calls of language models: for admins, without secrets, for some days, not beyond its session. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeOldPrompts } from '../../src/audit/remove-old-prompts.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { Database } from '../../src/store/database.ts'
import { MAX_KEPT_CHARS } from '../../src/store/turn/model-call-texts.ts'
import * as api from '../generated/graphql.ts'
import { columnsOf, findInDatabase } from '../harness/find-in-database.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubConfig } from '../model/stub-config.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

const SECRET = 'hush-hush-1234567'
const logger = createLogger({ level: 'silent', pretty: false })

let story: Story
let database: Database
beforeAll(async () => {
  story = await Story.begin()
  database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
})
afterAll(async () => {
  await database.close()
  await story[Symbol.asyncDispose]()
})

async function callsOf(filter: api.ModelCallFilter) {
  const { modelCalls } = await story.as('ada').run(api.ModelCallsDocument, { first: 100, filter })
  return modelCalls.edges.map(({ node }) => node)
}

test('each call is there with its prompt and its answer, for admins alone', async () => {
  const ben = story.as('ben')
  const turn = await converse(ben, '@ben:calls', 'run: echo hello\nSay something')
  const calls = await callsOf({ turnId: turn.id })
  expect(calls).toHaveLength(turn.usage.calls)
  const [planner] = await callsOf({ sessionId: '@ben:calls', role: ['planner'] })
  expect(planner).toMatchObject({ turnId: turn.id, outcome: 'OK' })
  expect(planner?.texts?.prompt).toContain('Say something')
  expect(planner?.texts?.answer).toContain('echo hello')
  expect(planner?.texts?.system.length).toBeGreaterThan(100)
  expect(await callsOf({ turnId: turn.id, user: 'cleo' })).toEqual([])
  expect(await callsOf({ turnId: turn.id, outcome: ['MODEL_TIMEOUT'] })).toEqual([])
  const refused = await ben.request(api.ModelCallsDocument, {})
  expect([refused.data, refused.errors[0]?.extensions?.['code']]).toEqual([{ modelCalls: null }, 'FORBIDDEN'])
})

test('the prompts of files are kept once for all sessions; what a session adds to one stays with it', async () => {
  const ada = story.as('ada')
  const ids = ['@ada:one', '@ada:two', '@ada:verse']
  await ada.run(api.OpenSessionDocument, { input: { id: '@ada:verse', instructions: 'Answer in verse.' } })
  for (const id of ids) await converse(ada, id, 'run: echo hello')
  const planners = await Promise.all(ids.map((sessionId) => callsOf({ sessionId, role: ['planner'] })))
  const [one, two, verse] = planners.map(([planner]) => planner?.texts?.system)
  expect(one).toContain('# You are the planner')
  expect(two).toBe(one)
  expect(verse).toContain('Answer in verse.')
  const holding = async (text: string) => columnsOf(await findInDatabase(story.databaseUrl, [text]))
  expect(await holding('# You are the planner')).toEqual(['model_call_texts.system', 'system_prompts.text'])
  expect(await holding('Answer in verse.')).toEqual(['model_call_texts.system', 'sessions.instructions'])
  const count = {
    name: '',
    text: `SELECT count(*)::int AS n FROM system_prompts WHERE text LIKE '# You are the planner%'`,
  }
  expect(await database.query(count, [])).toEqual([{ n: 1 }])
  await ada.run(api.DeleteSessionDocument, { id: '@ada:verse' })
  expect(await holding('Answer in verse.')).toEqual([])
})

test('a secret that the planner finds stands in no prompt, the planner’s own included', async () => {
  const ada = story.as('ada')
  await using watch = watchAll(ada, '@ada:secret')
  await send(ada, '@ada:secret', `secret: SHOP=${SECRET}\nKeep it`)
  await turnEnd(watch)
  const calls = await callsOf({ sessionId: '@ada:secret' })
  expect(calls[0]?.texts).not.toBeNull()
  expect(JSON.stringify(calls)).toContain('[REDACTED]')
  expect(JSON.stringify(calls)).not.toContain(SECRET)
  expect(await findInDatabase(story.databaseUrl, [SECRET])).toEqual([])
})

test('of a long text the middle is left out; what is old is removed, as is all with a retention of 0', async () => {
  const ben = story.as('ben')
  const long = await converse(ben, '@ben:long', 'x'.repeat(MAX_KEPT_CHARS + 10_000))
  const [planner] = await callsOf({ turnId: long.id, role: ['planner'] })
  expect(planner?.texts?.prompt).toMatch(/x\n\[… \d+ characters left out …\]\n/)
  const retain = async (promptRetentionDays: number): Promise<number> => {
    const config = new StubConfig({ baseUrl: null, settings: { promptRetentionDays } })
    await removeOldPrompts({ database, config, logger, metrics: createMetrics() }, new AbortController().signal)
    const [row] = await database.query<{ n: number }>(
      { name: '', text: 'SELECT count(*)::int AS n FROM model_call_texts' },
      [],
    )
    return row?.n ?? -1
  }
  const all = await retain(7)
  const text = "UPDATE model_call_texts SET at = at - interval '8 days' WHERE session_id = '@ben:long'"
  await database.query({ name: '', text }, [])
  const left = await retain(7)
  expect(left).toBeLessThan(all)
  expect(left).toBeGreaterThan(0)
  const [gone] = await callsOf({ turnId: long.id, role: ['planner'] })
  expect(gone).toMatchObject({ outcome: 'OK', texts: null })
  expect(await retain(0)).toBe(0)
})

test('an admin tries the model of a role: it answers, or what to change is said', async () => {
  const ada = story.as('ada')
  const tried = async (role: string) => (await ada.run(api.CheckModelDocument, { role })).checkModel
  expect(await tried('curator')).toMatchObject({ model: 'rehearsal', outcome: 'OK', failure: null })
  const [call] = await callsOf({ role: ['curator'], user: 'ada' })
  expect(call).toMatchObject({ outcome: 'OK', sessionId: null, texts: null })
  expect(await tried('poet')).toMatchObject({ __typename: 'InvalidInputRefusal' })
  const refused = await story.as('ben').request(api.CheckModelDocument, { role: 'curator' })
  expect(refused.errors[0]?.extensions?.['code']).toBe('FORBIDDEN')
  const provider = '[providers.gone]\nbase_url = "https://gone.test/v1"\napi_key_env = "GONE_KEY"\n'
  await story.reconfigure(storyConfig({ toml: `${provider}[models]\nplanner = "gone:some"\n` }))
  const failed = await tried('curator')
  await story.reconfigure(storyConfig())
  expect(failed).toMatchObject({ outcome: 'MODEL_UNAUTHORIZED', failure: expect.stringContaining('GONE_KEY') })
})

test('they go with their session', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:going', 'Hello')
  expect((await callsOf({ sessionId: '@ben:going' }))[0]?.texts).not.toBeNull()
  await ben.run(api.DeleteSessionDocument, { id: '@ben:going' })
  const calls = await callsOf({ sessionId: '@ben:going' })
  expect(calls.length).toBeGreaterThan(0)
  expect(calls.filter(({ texts }) => texts !== null)).toEqual([])
})

test('nothing is kept where nothing is to be', async () => {
  await using _without = await story.reconfigureForNow(storyConfig({ settings: { prompt_retention_days: 0 } }))
  await converse(story.as('ben'), '@ben:none', 'Hello')
  const calls = await callsOf({ sessionId: '@ben:none' })
  expect(calls).not.toEqual([])
  expect(calls.filter(({ texts }) => texts !== null)).toEqual([])
})

test('a call of a turn that is handed over is there as well', async () => {
  const begun = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'It printed hi. ' } }] })}\n\n`)
  }
  await using stub = await StubEndpoint.start({ by: (call) => (call.role === 'messenger' ? begun : answerWell(call)) })
  await using leaving = await Story.begin({ config: { toml: stubProvider(stub) } })
  const ids = ['@ada:plan', '@ada:chat']
  await leaving.as('ada').run(api.OpenSessionDocument, { input: { id: '@ada:chat', mode: 'CHAT' } })
  for (const id of ids) await send(leaving.as('ada'), id, 'Hi')
  for (const id of ids) {
    await using watch = watchAll(leaving.as('ada'), id)
    await watch.until(({ sessionEvents }) => sessionEvents.__typename === 'TextDeltaEvent')
  }
  await leaving.app.stop()
  stub.follow({ by: answerWell })
  await using next = await Story.begin({ beside: leaving })
  for (const sessionId of ids) {
    await using watch = watchAll(next.as('ada'), sessionId)
    await turnEnd(watch)
    const filter = { sessionId, role: ['messenger', 'assistant'] }
    const { modelCalls } = await next.as('ada').run(api.ModelCallsDocument, { first: 100, filter })
    expect(modelCalls.edges.map(({ node }) => node.outcome).toSorted()).toEqual(['CANCELLED', 'OK'])
  }
})
