/** Conversations that their provider keeps (`api = "responses"`): what it knows is not sent again; nothing is lost. */
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configPath } from '../../src/config/load-config.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { must } from '../../src/platform/must.ts'
import { Database } from '../../src/store/database.ts'
import { removeAged } from '../../src/store/retention/remove-aged.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { select } from '../harness/plugins.ts'
import { converse, send, Story, storyConfig, turnEnd, watchAll } from '../harness/story.ts'
import {
  AddParticipantDocument,
  EraseUserDocument,
  OpenSessionDocument,
  SendMessageDocument,
  UpdateSessionDocument,
} from '../generated/graphql.ts'
import { GOOD_PLAN } from '../model/good-answers.ts'
import { StubEndpoint, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'

let stub: StubEndpoint
let story: Story
let toml = ''
/** What the model says next; each answer is kept under a new id. */
let next: (call: StubCall) => readonly object[] = () => says('Hello.')
const TALK = { ...GOOD_PLAN, tasks: GOOD_PLAN.tasks.slice(1) }
/** Ids that the provider has forgotten. */
const forgotten = new Set<string>()
/** The same, of one that has other words for it. */
const gone = new Set<string>()
/** Ids of what is longer than the model can read. */
const outgrown = new Set<string>()
let lastId = 0

const says = (text: string): object[] => [{ type: 'message', content: [{ type: 'output_text', text }] }]
const runs = (command: string): object[] => [
  { type: 'function_call', call_id: 'call_1', name: 'exec', arguments: JSON.stringify({ command }) },
]

function answer(call: StubCall): StubAnswer {
  if (call.body.messages !== undefined) return call.role === 'planner' ? { content: TALK } : 'It was planned.'
  const before = call.body.previous_response_id
  if (before !== undefined && forgotten.has(before))
    return { status: 400, body: { error: { message: `Previous response with id '${before}' not found.` } } }
  if (before !== undefined && gone.has(before))
    return { status: 404, body: { error: { message: `Nothing is stored under ${before}.` } } }
  if (before !== undefined && outgrown.has(before)) {
    const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.'
    return { status: 400, body: { error: { code: 'context_length_exceeded', message } } }
  }
  lastId += 1
  const usage = { input_tokens: 9, output_tokens: 4 }
  return { status: 200, body: { id: `resp_${lastId}`, status: 'completed', output: next(call), usage } }
}

beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answer })
  toml = `
[providers.kept]
base_url = "${stub.baseUrl}"
api = "responses"
[models]
planner = "kept:one"
`
  story = await Story.begin({ config: { toml } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

async function openChat(id: string, more: object = {}): Promise<void> {
  const { openSession } = await story.as('ada').run(OpenSessionDocument, { input: { id, mode: 'CHAT', ...more } })
  expect(openSession.__typename).toBe('OpenSessionPayload')
}

async function say(
  id: string,
  text: string,
  user: 'ada' | 'ben' | 'cleo' = 'ada',
): Promise<{ answers: readonly string[]; asked: Asked[] }> {
  const from = stub.calls.length
  const { answers } = await converse(story.as(user), id, text)
  return { answers, asked: stub.calls.slice(from).map(({ body }) => askedBy(body)) }
}

interface Asked {
  readonly continues: string | undefined
  /** All that was sent, as text. */
  readonly said: string
}

const askedBy = ({ previous_response_id: continues, input }: StubCall['body']): Asked => ({
  continues,
  said: JSON.stringify(input),
})

test('what was said before is sent once; a tool’s result goes on from the answer that asked for it', async () => {
  await openChat('cli:kept')
  const { asked: first } = await say('cli:kept', 'My dog is called Ruby.')
  expect(first).toEqual([{ continues: undefined, said: expect.stringContaining('Ruby') }])
  const answered = `resp_${lastId}`

  next = ({ body }) => (JSON.stringify(body.input).includes('barked') ? says('It barked.') : runs('echo barked'))
  const { answers, asked } = await say('cli:kept', 'Let her bark.')
  expect(answers).toEqual(['It barked.'])
  expect(asked).toEqual([
    { continues: answered, said: expect.not.stringContaining('Ruby') },
    { continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Let her bark') },
  ])
  expect(must(asked[1], 'a second call').said).toContain('function_call_output')
})

test('an answer that the provider has forgotten, or another model, costs nothing but tokens', async () => {
  next = () => says('I see.')
  await openChat('cli:forgotten')
  await say('cli:forgotten', 'My cat is called Opal.')
  forgotten.add(`resp_${lastId}`)
  const { answers, asked } = await say('cli:forgotten', 'What is she called?')
  expect(answers).toEqual(['I see.'])
  expect(asked).toEqual([
    { continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Opal') },
    { continues: undefined, said: expect.stringContaining('Opal') },
  ])

  await story.as('ada').run(UpdateSessionDocument, { input: { id: 'cli:forgotten', model: 'kept:two' } })
  const { asked: ofAnother } = await say('cli:forgotten', 'And now?')
  expect(ofAnother).toEqual([{ continues: undefined, said: expect.stringContaining('Opal') }])
})

test('a conversation that has outgrown the model at its provider is sent again, as much of it as is shown', async () => {
  next = () => says('I see.')
  await openChat('cli:outgrown')
  await say('cli:outgrown', 'My hen is called Topaz.')
  outgrown.add(`resp_${lastId}`)
  const { answers, asked } = await say('cli:outgrown', 'What is she called?')
  expect(answers).toEqual(['I see.'])
  expect(asked).toEqual([
    { continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Topaz') },
    { continues: undefined, said: expect.stringContaining('Topaz') },
  ])
  const { asked: later } = await say('cli:outgrown', 'And now?')
  expect(later).toEqual([{ continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Topaz') }])
})

test('that the provider has forgotten is understood in whatever words it says so', async () => {
  next = () => says('I see.')
  await openChat('cli:other-words')
  await say('cli:other-words', 'My goat is called Garnet.')
  gone.add(`resp_${lastId}`)
  const { answers, asked } = await say('cli:other-words', 'What is she called?')
  expect(answers).toEqual(['I see.'])
  expect(asked.map(({ continues }) => continues)).toEqual([`resp_${lastId - 1}`, undefined])
})

test('what is said to one user is continued for no other', async () => {
  next = () => says('Noted.')
  await openChat('cli:both', { participants: ['ben', 'cleo'] })
  await say('cli:both', 'The code of the gate is in the drawer.')
  const { asked } = await say('cli:both', 'Hello, it is Ben.', 'ben')
  expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining('drawer') }])
  const { asked: ofAnother } = await say('cli:both', 'Hello, it is Cleo.', 'cleo')
  expect(ofAnother).toEqual([{ continues: undefined, said: expect.stringContaining('drawer') }])
})

test('what the model may have been shown as one user’s is not gone on from where another user reads along', async () => {
  next = () => says('I will keep it to myself.')
  await openChat('cli:joined')
  await say('cli:joined', 'My rabbit is called Beryl.')
  await story.as('ada').run(AddParticipantDocument, { sessionId: 'cli:joined', user: 'ben' })
  const { asked } = await say('cli:joined', 'Hello to both of you.')
  expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining('Beryl') }])
  const { asked: later } = await say('cli:joined', 'Still here?')
  expect(later).toEqual([{ continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Beryl') }])
})

test('what is said to a user of one role is not gone on from once they have another', async () => {
  next = () => says('It stands on the shelf.')
  await openChat('cli:promoted', { participants: ['ben'] })
  await say('cli:promoted', 'My teapot is made of opal.', 'ben')
  const before = await readFile(configPath(story.home), 'utf8')
  await story.reconfigure(before.replace('[users.ben]\nrole = "user"', '[users.ben]\nrole = "admin"'))
  try {
    const { asked } = await say('cli:promoted', 'What is it made of?', 'ben')
    expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining('opal') }])
    const { asked: later } = await say('cli:promoted', 'Still?', 'ben')
    expect(later).toEqual([{ continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('opal') }])
  } finally {
    await story.reconfigure(before)
  }
})

test('another process goes on from where this one was, and this one from there', async () => {
  next = () => says('Of course.')
  await openChat('cli:moves')
  await say('cli:moves', 'My parrot is called Onyx.')
  await using there = await Story.begin({ beside: story })
  const kept = `resp_${lastId}`
  const from = stub.calls.length
  await converse(there.as('ada'), 'cli:moves', 'What is it called?')
  const [elsewhere] = stub.calls.slice(from).map(({ body }) => askedBy(body))
  expect(elsewhere).toEqual({ continues: kept, said: expect.not.stringContaining('Onyx') })
  const { asked } = await say('cli:moves', 'And how old is it?')
  expect(asked).toEqual([{ continues: `resp_${lastId - 1}`, said: expect.not.stringContaining('Onyx') }])
})

test('what a plan did in between is sent', async () => {
  next = () => says('Yes.')
  await openChat('cli:between')
  await say('cli:between', 'My bird is called Jade.')
  const kept = `resp_${lastId}`
  const setMode = (mode: 'PLAN' | 'CHAT') =>
    story.as('ada').run(UpdateSessionDocument, { input: { id: 'cli:between', mode } })
  await setMode('PLAN')
  await converse(story.as('ada'), 'cli:between', 'Plan something.')
  await setMode('CHAT')
  const { asked } = await say('cli:between', 'And now?')
  expect(asked).toMatchObject([{ continues: kept }])
  const { said } = must(asked[0], 'a call')
  expect(said).toContain('It was planned.')
  expect(said).not.toContain('Jade')
})

test('what was taken out of the conversation is not gone on from', async () => {
  const hunter = 'hunter-and-gatherer'
  const keep = { key: 'FORUM_LOGIN', value: hunter }
  const call = {
    type: 'function_call',
    call_id: 'call_1',
    name: 'session__keep_secret',
    arguments: JSON.stringify(keep),
  }
  next = ({ body }) => (JSON.stringify(body.input).includes('Kept as') ? says('Kept.') : [call])
  await openChat('cli:secret')
  const { asked } = await say('cli:secret', `My login at the forum is ${hunter}, by the way.`)
  expect(asked).toMatchObject([{ continues: undefined }, { continues: undefined }])
  expect(must(asked[1], 'a second call').said).not.toContain(hunter)
})

/** What is older than 60 days is removed, of a session whose turns so far have become so old. */
async function removeOld(sessionId: string, kind: 'turns' | 'outputs'): Promise<void> {
  const aged = `UPDATE turns SET finished_at = finished_at - interval '61 days' WHERE session_id = '${sessionId}'`
  await select(story, aged)
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: story.databaseUrl, maxConnections: 1, logger })
  const at = new Date()
  const removed = await removeAged(database, kind, { sessionId, before: new Date(at.getTime() - 60 * 86_400_000), at })
  await database.close()
  expect(removed).toMatchObject({ count: 1 })
}

test('what was removed for its age is not gone on from, also when a turn runs meanwhile', async () => {
  next = () => says('Hoo.')
  await openChat('cli:aged')
  await say('cli:aged', 'My owl is called Agate.')
  const go = story.path('go')
  next = ({ body }) =>
    JSON.stringify(body.input).includes('gone on')
      ? says('I have waited.')
      : runs(`echo up; until [ -e ${go} ]; do sleep 0.05; done; echo gone on`)
  const from = stub.calls.length
  await send(story.as('ada'), 'cli:aged', 'Wait.')
  await using watch = watchAll(story.as('ada'), 'cli:aged')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text.includes('up'))
  await removeOld('cli:aged', 'turns')
  await writeFile(go, '')
  expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(stub.calls.slice(from)).toHaveLength(2)
  next = () => says('I do not know.')
  // The process reads again what was said: nothing has become old by its clock.
  await story.reconfigure(storyConfig({ toml }))
  const { asked } = await say('cli:aged', 'What is it called?')
  expect(asked).toEqual([{ continues: undefined, said: expect.not.stringContaining('Agate') }])
  const { asked: later } = await say('cli:aged', 'Really?')
  expect(later).toMatchObject([{ continues: `resp_${lastId - 1}` }])
})

test('what a tool put out, and was removed for its age, is not gone on from', async () => {
  next = ({ body }) => (JSON.stringify(body.input).includes('bery') ? says('Done.') : runs('echo ber""yl'))
  await openChat('cli:outputs')
  await say('cli:outputs', 'Which stone?')
  await removeOld('cli:outputs', 'outputs')
  const { asked } = await say('cli:outputs', 'And now?')
  expect(asked[0]).toEqual({ continues: undefined, said: expect.not.stringContaining('beryl') })
})

test('a call that was edited with its approval is shown as it was made', async () => {
  const ada = story.as('ada')
  await story.reconfigure(storyConfig({ toml: `${toml}${approvalRules('effect = "require"\ncommand = "echo loud"')}` }))
  next = ({ body }) => (JSON.stringify(body.input).includes('Done') ? says('It is done.') : runs('echo loud'))
  await openChat('cli:edited')
  const from = stub.calls.length
  await send(ada, 'cli:edited', 'Say it.')
  await using watch = watchAll(ada, 'cli:edited')
  const approval = must((await untilAsked(watch))[0], 'an approval')
  await decide(ada, { id: approval.id, approve: true, editedDetail: 'echo softly' })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  await story.reconfigure(storyConfig({ toml }))
  const asked = stub.calls.slice(from).map(({ body }) => askedBy(body))
  expect(asked).toEqual([
    { continues: undefined, said: expect.any(String) },
    { continues: undefined, said: expect.stringContaining('echo softly') },
  ])
})

test('what a command puts out after a wait for an approval stands between marks that the model was given', async () => {
  const ada = story.as('ada')
  await story.reconfigure(storyConfig({ toml: `${toml}${approvalRules('effect = "require"\ncommand = "echo loud"')}` }))
  next = ({ body }) => (JSON.stringify(body.input).includes('Done') ? says('It is done.') : runs('echo loud'))
  await openChat('cli:marks')
  const from = stub.calls.length
  await send(ada, 'cli:marks', 'Say it.')
  await using watch = watchAll(ada, 'cli:marks')
  await decide(ada, { id: must((await untilAsked(watch))[0], 'an approval').id, approve: true })
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  await story.reconfigure(storyConfig({ toml }))
  const asked = stub.calls.slice(from).map(({ body }) => askedBy(body))
  const ofProvider = asked.map(({ said }) => /carry the token (\w+)/.exec(said)?.[1])
  expect(asked).toHaveLength(2)
  expect(ofProvider).toContain(/<<<DATA_STDOUT_(\w+)>>>/.exec(must(asked[1], 'a second call').said)?.[1])
})

/** Ben says it in a group with Ada, who goes on from what her model was shown of it. */
async function sayInGroup(id: string, text: string): Promise<void> {
  next = () => says('Noted.')
  await openChat(id, {
    source: { kind: 'cli', interactive: true, platform: 'cli', type: 'GROUP' },
    participants: ['ben'],
  })
  const input = { sessionId: id, content: text, mentioned: true }
  const { sendMessage } = await story.as('ben').run(SendMessageDocument, { input })
  expect(sendMessage.__typename).toBe('SendMessagePayload')
  await using watch = watchAll(story.as('ada'), id)
  await turnEnd(watch)
  const { asked } = await say(id, 'I have read it.')
  expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining(text) }])
  const { asked: later } = await say(id, 'Go on.')
  expect(later).toEqual([{ continues: `resp_${lastId - 1}`, said: expect.not.stringContaining(text) }])
}

test('what was erased is not gone on from: what is left is sent again', async () => {
  await sayInGroup('cli:erased', 'My snake is called Agate.')
  const { eraseUser } = await story
    .as('ada')
    .run(EraseUserDocument, { input: { user: 'ben', sessionId: 'cli:erased' } })
  expect(eraseUser.__typename).toBe('EraseUserPayload')
  const { answers, asked } = await say('cli:erased', 'What is left?')
  expect(answers).toEqual(['Noted.'])
  expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining('I have read it.') }])
  expect(must(asked[0], 'a call').said).not.toContain('Agate')
})

test('what is too old to be kept is not gone on from: what is left is sent again', async () => {
  await sayInGroup('cli:aged-group', 'My newt is called Pearl.')
  const old = `session_id = 'cli:aged-group' AND user_name = 'ben'`
  await select(story, `UPDATE turns SET finished_at = finished_at - interval '70 days' WHERE ${old}`)
  await select(story, `UPDATE sessions SET retention_due_at = now() - interval '1 day' WHERE id = 'cli:aged-group'`)
  await story.reconfigure(storyConfig({ toml: `${toml}[retention]\nturns = 60\n` }))
  await select(story, `SELECT graphile_worker.add_job('remove-old')`)
  await expect.poll(() => select(story, `SELECT 1 FROM turns WHERE ${old}`)).toEqual([])
  const { answers, asked } = await say('cli:aged-group', 'What is left?')
  expect(answers).toEqual(['Noted.'])
  expect(asked).toEqual([{ continues: undefined, said: expect.stringContaining('I have read it.') }])
  expect(must(asked[0], 'a call').said).not.toContain('Pearl')
})
