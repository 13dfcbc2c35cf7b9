/** Tools that people call themselves: no model is asked, and all else is as for a call that a model asks for. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import * as api from '../generated/graphql.ts'
import { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { addPlugin, select, until, update } from '../harness/plugins.ts'
import { answersIn, eventsOf, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'

const SECRET = 'hush-hush-1234567'
const GREET = 'good-plugin__greet'
const RULE = approvalRules(`effect = "require"\ntool = "${GREET}"`)

let story: Story
beforeAll(async () => {
  story = await Story.begin()
  addPlugin(story.home, 'good-plugin', 'good-plugin.ts')
  await until(story, 'good-plugin', 'DISABLED')
  await update(story, { name: 'good-plugin', enabled: true })
  await until(story, 'good-plugin', 'READY')
})
afterAll(() => story[Symbol.asyncDispose]())

type Called = Extract<api.CallToolMutation['callTool'], { readonly __typename: 'CallToolPayload' }>
async function call(client: ApiClient, input: api.CallToolInput): Promise<api.CallToolMutation['callTool']> {
  return (await client.run(api.CallToolDocument, { input })).callTool
}
function accepted(outcome: api.CallToolMutation['callTool']): Called {
  if (outcome.__typename !== 'CallToolPayload') throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return outcome
}

async function tasksOf(sessionId: string): Promise<Record<string, unknown>[]> {
  const columns = 'type, tool, args, status, output, stderr'
  return select(story, `SELECT ${columns} FROM tasks WHERE session_id = '${sessionId}' AND type <> 'MSG' ORDER BY id`)
}
const modelCalls = (sessionId: string): Promise<Record<string, unknown>[]> =>
  select(story, `SELECT id FROM audit_entries WHERE session_id = '${sessionId}' AND kind = 'MODEL_CALL'`)

test('a call is a task of a turn of its own: no model is asked, and repeated it is made once', async () => {
  const ada = story.as('ada')
  const input = { sessionId: 'web:called', tool: GREET, args: { name: 'Ada', times: 2 }, idempotencyKey: 'k' }
  const [one, two] = (await Promise.all([call(ada, input), call(ada, input)])).map(accepted)
  expect(two?.message.id).toBe(one?.message.id)
  expect([one, two].filter((outcome) => outcome?.duplicate === false)).toHaveLength(1)
  await using watch = watchAll(ada, 'web:called')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE', turnId: one?.message.turn?.id })
  const { message } = accepted(await call(ada, input))
  expect(message).toMatchObject({ call: { tool: GREET, args: { name: 'Ada', times: 2 } } })
  expect(message.content).toBe(`${GREET} {"name":"Ada","times":2}`)
  expect(await call(ada, { ...input, args: { name: 'Ben' } })).toMatchObject({ reason: 'KEY_REUSED' })
  const { turn } = await ada.run(api.TurnDocument, { id: message.turn?.id ?? '' })
  expect(turn).toMatchObject({
    status: 'DONE',
    usage: { calls: 0 },
    tasks: [{ type: 'TOOL', tool: GREET, status: 'DONE', output: 'Hello, Ada!Hello, Ada!', review: null }],
  })
  expect(await modelCalls('web:called')).toEqual([])
  expect(await tasksOf('web:called')).toHaveLength(1)
})

test('a call is known by its key when its tool is not there any more, or asks for other arguments', async () => {
  const ada = story.as('ada')
  const input = { sessionId: 'web:known', tool: GREET, args: { name: 'Ada' }, idempotencyKey: 'k' }
  const { message } = accepted(await call(ada, input))
  await using watch = watchAll(ada, 'web:known')
  await turnEnd(watch)
  expect(await call(ada, { ...input, args: { name: 5 } })).toMatchObject({ reason: 'KEY_REUSED' })
  await update(story, { name: 'good-plugin', enabled: false })
  await until(story, 'good-plugin', 'DISABLED')
  expect(accepted(await call(ada, input))).toMatchObject({ duplicate: true, message: { id: message.id } })
  const absent = { __typename: 'NotFoundRefusal', missingId: GREET }
  expect(await call(ada, { ...input, idempotencyKey: 'other' })).toMatchObject(absent)
  expect(await call(story.as('ben'), { ...input, sessionId: 'web:known' })).toMatchObject(absent)
  await update(story, { name: 'good-plugin', enabled: true })
  await until(story, 'good-plugin', 'READY')
  expect(await tasksOf('web:known')).toHaveLength(1)
})

test('what is not there, may not be used, or does not fit is refused, and nothing is stored', async () => {
  const ada = story.as('ada')
  const at = { sessionId: 'web:refused', tool: GREET }
  for (const args of [{}, { name: 5 }, { name: 'a name of more than 20' }, [], 'Ada'])
    expect(await call(ada, { ...at, args })).toMatchObject({
      __typename: 'InvalidInputRefusal',
      issues: [{ path: ['args'] }],
    })
  const absent = await call(ada, { ...at, tool: 'good-plugin__leave' })
  expect(absent).toMatchObject({ __typename: 'NotFoundRefusal', missingId: 'good-plugin__leave' })
  const bens = { sessionId: '@ben:refused', tool: GREET, args: { name: 'Ben' } }
  const barred = await call(story.as('ben'), bens)
  expect(barred).toMatchObject({ __typename: 'NotFoundRefusal', missingId: GREET })
  expect(await call(story.as('ben'), { ...bens, sessionId: 'web:called' })).toEqual(barred)
  // A stranger of a connector calls nothing; who is known there, what they may.
  const asStranger = { sessionId: 'discord:c', tool: GREET, args: { name: 'x' }, user: 'Stranger#1' }
  expect(await call(story.as('discord'), asStranger)).toMatchObject({ issues: [{ path: ['user'] }] })
  expect(await call(story.as('discord'), { ...asStranger, user: 'Ben#1' })).toEqual(barred)
  const { sessions } = await ada.run(api.SessionsDocument, { first: 50 })
  const ids = sessions.edges.map(({ node }) => node.id)
  expect(ids.filter((id) => /refused|discord/.test(id))).toEqual([])
  await ada.run(api.CreateUserDocument, { input: { name: 'tess', role: 'USER', tools: ['good-plugin__gr*'] } })
  const { createToken } = await ada.run(api.CreateTokenDocument, {
    input: { name: 'tess', kind: 'USER', user: 'tess' },
  })
  if (createToken.__typename !== 'CreateTokenPayload') throw new Error(JSON.stringify(createToken))
  const tess = new ApiClient(story.app.url, createToken.secret)
  accepted(await call(tess, { ...bens, sessionId: '@tess:called' }))
  await using watch = watchAll(tess, '@tess:called')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
})

test('a rule asks for an approval, which may edit the arguments or deny the call', async () => {
  const ada = story.as('ada')
  await story.reconfigure(storyConfig({ toml: RULE }))
  const at = { sessionId: 'web:asked', tool: GREET, args: { name: 'Ada' } }
  await using watch = watchAll(ada, 'web:asked')
  accepted(await call(ada, at))
  const [first] = await untilAsked(watch)
  await decide(ada, { id: must(first, 'an approval').id, approve: true, editedArgs: { name: 'Eve', times: 1 } })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  accepted(await call(ada, at))
  const [, second] = await untilAsked(watch, 2)
  await decide(ada, { id: must(second, 'another').id, approve: false, note: 'Not twice.' })
  const failure = expect.stringContaining('Not twice.')
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'FAILED', failure })
  expect(await tasksOf('web:asked')).toMatchObject([
    { args: { name: 'Eve', times: 1 }, status: 'DONE', output: 'Hello, Eve!' },
    { status: 'FAILED', output: null },
  ])
  const audited = await select(
    story,
    `SELECT data->>'tool' AS tool, data->>'status' AS status FROM audit_entries WHERE session_id = 'web:asked' AND kind = 'TASK' ORDER BY id`,
  )
  expect(audited.length).toBeGreaterThan(0)
  await story.reconfigure(storyConfig())
})

test('what is said while a call waits for its approval gets a turn of its own', async () => {
  const ada = story.as('ada')
  await story.reconfigure(storyConfig({ toml: RULE }))
  await ada.run(api.OpenSessionDocument, { input: { id: 'web:meanwhile', mode: 'CHAT', busyPolicy: 'STEER' } })
  accepted(await call(ada, { sessionId: 'web:meanwhile', tool: GREET, args: { name: 'Ada' } }))
  await using watch = watchAll(ada, 'web:meanwhile')
  const [asked] = await untilAsked(watch)
  await send(ada, 'web:meanwhile', 'Is it done?')
  await decide(ada, { id: must(asked, 'an approval').id, approve: true })
  await turnEnd(watch, 2)
  expect(await tasksOf('web:meanwhile')).toMatchObject([{ status: 'DONE', output: 'Hello, Ada!' }])
  expect(answersIn(watch)).toEqual([expect.stringContaining('> Is it done?')])
  await story.reconfigure(storyConfig())
})

test('a call that runs is stopped; one that waits has its turn alone, is withdrawn, and is not edited', async () => {
  const ada = story.as('ada')
  const at = { sessionId: 'web:queue', tool: GREET, args: { name: 'Ada' } }
  await using watch = watchAll(ada, 'web:queue')
  await ada.run(api.OpenSessionDocument, { input: { id: 'web:queue', busyPolicy: 'COLLECT' } })
  accepted(await call(ada, { ...at, tool: 'good-plugin__wait-for-ever', args: {} }))
  await watch.until(({ sessionEvents: event }) => {
    return event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'RUNNING'
  })
  const waits = accepted(await call(ada, at)).message
  const taken = accepted(await call(ada, { ...at, args: { name: 'Back' } })).message
  await send(ada, 'web:queue', 'And a word.')
  const edit = await ada.run(api.EditQueuedMessageDocument, { id: waits.id, content: 'Say hi.' })
  expect(edit.editQueuedMessage).toMatchObject({ __typename: 'ConflictRefusal', reason: 'WRONG_TYPE' })
  const withdrawn = await ada.run(api.WithdrawMessageDocument, { id: taken.id })
  expect(withdrawn.withdrawMessage).toMatchObject({ __typename: 'WithdrawMessagePayload' })
  await ada.run(api.CancelTurnDocument, { sessionId: 'web:queue' })
  await watch.until(() => eventsOf(watch, 'TurnCompletedEvent').length === 4)
  const ends = eventsOf(watch, 'TurnCompletedEvent').map(({ turnStatus }) => turnStatus)
  expect(ends.toSorted()).toEqual(['CANCELLED', 'CANCELLED', 'DONE', 'DONE'])
  expect(await tasksOf('web:queue')).toMatchObject([
    { tool: 'good-plugin__wait-for-ever', status: 'INTERRUPTED' },
    { tool: GREET, status: 'DONE', output: 'Hello, Ada!' },
  ])
  const retried = await ada.run(api.RetryTurnDocument, { turnId: taken.turn?.id ?? '' })
  if (retried.retryTurn.__typename !== 'RetryTurnPayload') throw new Error(JSON.stringify(retried))
  await turnEnd(watch, 5)
  expect((await tasksOf('web:queue')).at(-1)).toMatchObject({ status: 'DONE', output: 'Hello, Back!' })
})

test('a secret of the deployment goes into no row and to no tool', async () => {
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'web:hidden')
  await writeFile(story.path('.env'), `KISO_SKILL_SHOP_KEY=${SECRET}`, { mode: 0o600 })
  await ada.run(api.ReloadSecretsDocument)
  accepted(await call(ada, { sessionId: 'web:hidden', tool: GREET, args: { name: SECRET } }))
  await turnEnd(watch)
  expect(await tasksOf('web:hidden')).toMatchObject([{ args: { name: '[REDACTED]' }, output: 'Hello, [REDACTED]!' }])
  const rows = await select(story, `SELECT content, call::text FROM messages WHERE session_id = 'web:hidden'`)
  expect(JSON.stringify(rows)).toContain('[REDACTED]')
  expect(JSON.stringify([rows, watch.received])).not.toContain(SECRET)
})
