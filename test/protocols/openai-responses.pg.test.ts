/** What `/v1/responses` keeps: responses are polled, read again, followed and cancelled, as OpenAI's package does. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { Operations } from '../../src/graphql/protocols/operations.ts'
import { WITHDRAW_MESSAGE } from '../../src/graphql/protocols/turn-documents.ts'
import { approvalRules } from '../harness/approvals.ts'
import { select } from '../harness/plugins.ts'
import { Story, storyConfig, tokenOf, type Person } from '../harness/story.ts'

type Response = OpenAI.Responses.Response

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES, settings: { requests_per_minute: 100_000 } } })
})
afterAll(() => story[Symbol.asyncDispose]())

function responsesOf(person: Person, defaultHeaders: Record<string, string> = {}): OpenAI['responses'] {
  const baseURL = `${story.app.url}/v1`
  return new OpenAI({ baseURL, apiKey: tokenOf(person), defaultHeaders, maxRetries: 0 }).responses
}

const inBackground = (input: string, more: object = {}): Promise<Response> =>
  responsesOf('ben').create({ model: 'factotum', background: true, input, ...more })

async function untilDone(id: string): Promise<Response> {
  const poll = (): Promise<Response> => responsesOf('ben').retrieve(id)
  await expect.poll(async () => (await poll()).status).not.toMatch(/queued|in_progress/)
  return poll()
}

/** Opens a gate; false: the workspace is not there yet. */
function tryToOpen(sessionId: string, name: string): boolean {
  const workspace = workspacePath(story.home, sessionId)
  if (existsSync(workspace)) writeFileSync(join(workspace, name), '')
  return existsSync(workspace)
}

const GATED = (name: string): string => `run: until [ -e ${name} ]; do sleep 0.05; done`

test('one in the background is answered at once, polled until it is done, and gone on with', async () => {
  const begun = await inBackground(`${GATED('go')}; echo in the background`, { instructions: 'Be brief.' })
  expect(begun).toMatchObject({ object: 'response', background: true, output: [], error: null })
  expect(begun.status).toMatch(/^(queued|in_progress)$/)
  await expect.poll(() => tryToOpen(begun.conversation?.id ?? '', 'go')).toBe(true)
  const done = await untilDone(begun.id)
  expect(done).toMatchObject({ id: begun.id, status: 'completed', instructions: 'Be brief.' })
  expect(done.conversation).toEqual(begun.conversation)
  expect(done.output_text).toContain('in the background')
  expect(done.output[0]).toMatchObject({ type: 'reasoning' })
  expect(done.usage?.total_tokens).toBeGreaterThan(0)
  const next = await responsesOf('ben').create({ model: 'factotum', input: 'And now?', previous_response_id: done.id })
  expect(next.conversation).toEqual(begun.conversation)
  expect((await responsesOf('ben').retrieve(next.id)).output).toEqual(next.output)
})

test('what it was given is listed', async () => {
  const { id } = await responsesOf('ben').create({ model: 'factotum-chat', input: 'Good day' })
  const items = await Array.fromAsync(responsesOf('ben').inputItems.list(id))
  expect(items).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Good day' }] }])
})

test('it is followed from its beginning, while it runs and afterwards', async () => {
  const { id } = await inBackground('run: echo followed')
  const stream = await responsesOf('ben').retrieve(id, { stream: true })
  const types = (await Array.fromAsync(stream)).map(({ type }) => type)
  expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
  const again = await responsesOf('ben').stream({ response_id: id, starting_after: 1 }).finalResponse()
  expect(again.output_text).toContain('followed')
  const later = responsesOf('ben').retrieve(id, { stream: true, starting_after: 1 })
  await expect(later).rejects.toMatchObject({ status: 400, param: 'starting_after' })
})

test('it is cancelled while it runs and while it waits, and stays what it is once it has ended', async () => {
  const conversation = { conversation: 'cancelled' }
  const running = await inBackground(GATED('cancelled'), conversation)
  await expect.poll(async () => (await responsesOf('ben').retrieve(running.id)).status).toBe('in_progress')
  const waiting = await inBackground('Good evening', conversation)
  expect(waiting.status).toBe('queued')
  expect(await responsesOf('ben').cancel(waiting.id)).toMatchObject({ id: waiting.id, status: 'cancelled' })
  expect(await responsesOf('ben').cancel(running.id)).toMatchObject({ status: 'cancelled', error: null })
  expect(await responsesOf('ben').cancel(running.id)).toMatchObject({ status: 'cancelled' })
  const done = await responsesOf('ben').create({ model: 'factotum', input: 'Hello', ...conversation })
  expect((await responsesOf('ben').cancel(done.id)).output).toEqual(done.output)
})

test('one that begins while it is being withdrawn is cancelled', async () => {
  const conversation = { conversation: 'begins' }
  const running = await inBackground(GATED('begins'), conversation)
  const waiting = await inBackground(GATED('never'), conversation)
  expect(waiting.status).toBe('queued')
  const run = Reflect.get(Operations.prototype, 'run')
  vi.spyOn(Operations.prototype, 'run').mockImplementation(async function (this: Operations, operation, variables) {
    if (operation === WITHDRAW_MESSAGE) {
      vi.restoreAllMocks()
      await responsesOf('ben').cancel(running.id)
      await expect.poll(async () => (await responsesOf('ben').retrieve(waiting.id)).status).toBe('in_progress')
    }
    return Reflect.apply(run, this, [operation, variables])
  })
  expect(await responsesOf('ben').cancel(waiting.id)).toMatchObject({ status: 'cancelled' })
})

test('one that is sent again with its key is as it is by then', async () => {
  const ask = (): Promise<Response> =>
    responsesOf('ben', { 'idempotency-key': 'again' }).create({ model: 'factotum', background: true, input: 'Again' })
  const done = await untilDone((await ask()).id)
  expect(await ask()).toMatchObject({ id: done.id, status: 'completed', output: done.output, usage: done.usage })
})

test('one whose events were removed for their age still says what was answered', async () => {
  const { id, conversation } = await responsesOf('ben').create({ model: 'factotum', input: 'run: echo aged' })
  const kept = await responsesOf('ben').retrieve(id)
  await using _settings = await story.reconfigureForNow(storyConfig({ toml: `${RULES}\n[retention]\nevents = 30\n` }))
  const log = `FROM events WHERE session_id = '${conversation?.id}' AND type = 'PlanCreated'`
  await select(story, `UPDATE events SET at = at - interval '40 days' WHERE session_id = '${conversation?.id}'`)
  await select(story, `UPDATE sessions SET retention_due_at = now() - interval '1 day'`)
  await select(story, `SELECT graphile_worker.add_job('remove-old')`)
  await expect.poll(() => select(story, `SELECT 1 ${log}`)).toEqual([])
  const aged = await responsesOf('ben').retrieve(id)
  expect(aged).toMatchObject({ status: 'completed', output_text: kept.output_text })
  expect(aged.output_text).toContain('aged')
})

test('of messages that one turn takes together each has the answer', async () => {
  const input = { id: '@ben:together', busyPolicy: 'COLLECT' }
  const open = 'mutation ($input: OpenSessionInput!) { openSession(input: $input) { __typename } }'
  expect(await story.as('ben').run(open, { input })).toEqual({ openSession: { __typename: 'OpenSessionPayload' } })
  const conversation = { conversation: 'together' }
  const running = await inBackground('wait: 1500', conversation)
  const [first, second] = [await inBackground('First', conversation), await inBackground('Second', conversation)]
  for (const { id } of [running, first, second])
    expect(await untilDone(id)).toMatchObject({ id, status: 'completed', output_text: expect.stringMatching(/./) })
  expect((await responsesOf('ben').retrieve(second.id)).output_text).toContain('> Second')
})

test('one that fails says why', async () => {
  await using _settings = await story.reconfigureForNow(storyConfig({ toml: RULES, settings: { max_replan_depth: 0 } }))
  const { id } = await inBackground('fail:\nrun: exit 1')
  const failed = await untilDone(id)
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'turn_failed', message: expect.any(String) } })
})

test('one that waits for a decision asks for it, and the next message need not name it', async () => {
  const asked = await untilDone((await inBackground('run: echo yes | tee out.txt')).id)
  expect(asked).toMatchObject({ status: 'completed', output_text: expect.stringMatching(/^Waiting for a decision\./) })
  const approved = await inBackground('/approve', { previous_response_id: asked.id })
  const done = await untilDone(approved.id)
  expect(done).toMatchObject({ id: expect.stringMatching(/^resp_appr_/), status: 'completed' })
  expect(done.output_text).toContain('yes')
  expect((await responsesOf('ben').inputItems.list(approved.id)).data).toEqual([])
  // It was asked for nothing.
  const nothing = inBackground('/approve', { previous_response_id: done.id })
  await expect(nothing).rejects.toMatchObject({ status: 400, message: expect.stringContaining('Name what you mean') })
})

test('a client that names the items of an answer, and repeats none of it, goes on with that answer', async () => {
  const said = { role: 'user', content: 'run: echo yes | tee named.txt' } as const
  const ben = responsesOf('ben')
  const asked = await ben.create({ model: 'factotum', input: [said] })
  const items = asked.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }))
  const answer = (content: string): Promise<Response> =>
    ben.create({ model: 'factotum', input: [said, ...items, { role: 'user', content }] })
  const done = await answer('/approve')
  expect(done.conversation).toEqual(asked.conversation)
  expect(done.output_text).toContain('yes')
  expect((await answer('And now?')).conversation).toEqual(asked.conversation)
  const stranger = responsesOf('cleo').create({
    model: 'factotum',
    input: [said, ...items, { role: 'user', content: 'Hi' }],
  })
  await expect(stranger).rejects.toMatchObject({ status: 404 })
})

test('a decision means what the response before has asked for, and nothing that is asked for meanwhile', async () => {
  const both = 'run: echo one | tee out.txt\n\nrun: echo two | tee out.txt'
  const chat = { model: 'factotum-chat', conversation: 'twice' }
  const first = await untilDone((await inBackground(both, chat)).id)
  const second = await responsesOf('ben').create({
    model: 'factotum',
    input: '/approve',
    previous_response_id: first.id,
  })
  expect(second.output_text).toMatch(/Waiting for a decision\.[^]*echo two/)
  const again = await responsesOf('ben').create({
    model: 'factotum',
    input: '/approve',
    previous_response_id: first.id,
  })
  expect(again.output_text).toMatch(/Waiting for a decision\.[^]*echo two/)
  const denied = { model: 'factotum', input: '/deny not that', previous_response_id: second.id }
  expect((await responsesOf('ben').create(denied)).output_text).not.toContain('Waiting for a decision.')
  const named = inBackground('/approve', { conversation: 'twice' })
  await expect(named).rejects.toMatchObject({ status: 400, param: 'input' })
})

test('the answer to a decision is read again, however many were asked for in its session since', async () => {
  const conversation = { conversation: 'many-decisions' }
  const asked = await untilDone((await inBackground('run: echo first | tee out.txt', conversation)).id)
  const decided = await untilDone((await inBackground('/approve', { previous_response_id: asked.id })).id)
  expect(decided.output_text).toContain('first')
  const many = Array.from({ length: 9 }, (_, index) => `run: echo ${index} | tee out.txt`).join('\n')
  for (let round = 0; round < 3; round += 1) {
    const later = await untilDone((await inBackground(many, conversation)).id)
    await untilDone((await inBackground('/deny', { previous_response_id: later.id })).id)
  }
  expect((await responsesOf('ben').retrieve(decided.id)).output).toEqual(decided.output)
})

test('a decision in a conversation that names no answer is told what waits', async () => {
  const asked = await untilDone((await inBackground('run: echo x | tee out.txt', { conversation: 'named' })).id)
  const [id = ''] = /appr_\w+/.exec(asked.output_text) ?? []
  const unnamed = inBackground('/approve', { conversation: 'named' })
  await expect(unnamed).rejects.toMatchObject({ status: 400, message: expect.stringContaining(`"/approve ${id}"`) })
  expect(await responsesOf('ben').cancel(asked.id)).toMatchObject({ status: 'cancelled' })
})

test('a message that starts no turn has one, too', async () => {
  const headers = { 'x-factotum-session': 'discord:kept' }
  const discord = responsesOf('discord', headers)
  const stored = await discord.create({ model: 'factotum', input: 'hello', user: 'Stranger#9' })
  expect(await discord.retrieve(stored.id)).toMatchObject({ id: stored.id, status: 'completed', output: [] })
})

test('it is that of who may see its session', async () => {
  const { id } = await responsesOf('ben').create({ model: 'factotum', input: 'Mine' })
  const hidden = { status: 404, code: 'not_found' }
  await expect(responsesOf('cleo').retrieve(id)).rejects.toMatchObject(hidden)
  await expect(responsesOf('cleo').cancel(id)).rejects.toMatchObject(hidden)
  await expect(responsesOf('cleo').inputItems.list(id)).rejects.toMatchObject(hidden)
  await expect(responsesOf('cleo').retrieve('resp_68a')).rejects.toMatchObject(hidden)
  expect(await responsesOf('ada').retrieve(id)).toMatchObject({ id })
})

test('what cannot be had is refused with what to do', async () => {
  const { id } = await responsesOf('ben').create({ model: 'factotum', input: 'Keep it' })
  const kept = responsesOf('ben').delete(id)
  await expect(kept).rejects.toMatchObject({ status: 405, message: expect.stringContaining('deleteSession') })
  const compact = responsesOf('ben').compact({ model: 'factotum', previous_response_id: id })
  await expect(compact).rejects.toMatchObject({ status: 404, message: expect.stringContaining('/v1/responses') })
})

test.each([10, 2_000_000])(
  'a file of %i bytes for a path that is not there is refused with where it goes',
  async (size) => {
    const { files } = new OpenAI({ baseURL: `${story.app.url}/v1`, apiKey: tokenOf('ben'), maxRetries: 0 })
    const file = new File(['x'.repeat(size)], 'a.txt')
    const refused = { status: 404, message: expect.stringContaining('PUT /files/<session>/<name>') as string }
    await expect(files.create({ file, purpose: 'user_data' })).rejects.toMatchObject(refused)
  },
)
