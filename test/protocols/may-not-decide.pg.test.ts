/** What waits for a decision, as it is asked for of users who may not decide about it. */
import { HttpAgent, type BaseEvent, type Interrupt } from '@ag-ui/client'
import * as current from 'ai'
import * as before from 'ai-6'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FactotumChatTransport } from '../../packages/client/src/ai-sdk/ai-sdk.ts'
import { connect } from '../../packages/client/src/connect.ts'
import { approvalRules, decide, untilAsked } from '../harness/approvals.ts'
import { Story, storyConfig, tokenOf, watchAll, type Person } from '../harness/story.ts'

let story: Story
beforeAll(async () => {
  const toml = `[approvals]\n${approvalRules('effect = "require"\ncommand = "tee"')}`
  story = await Story.begin()
  await story.reconfigure(storyConfig({ toml }).replace('[users.ben]\n', '[users.ben]\ntools = ["delegation__*"]\n'))
})
afterAll(() => story[Symbol.asyncDispose]())

async function answerTo(person: Person, content: string): Promise<string> {
  const client = new OpenAI({ baseURL: `${story.app.url}/v1`, apiKey: tokenOf(person), maxRetries: 0 })
  const { choices } = await client.chat.completions.create({
    model: 'factotum',
    messages: [{ role: 'user', content }],
  })
  return choices[0]?.message.content ?? ''
}

async function interruptFor(person: Person, content: string): Promise<Interrupt | undefined> {
  const agent = new HttpAgent({
    url: `${story.app.url}/agui`,
    headers: { authorization: `Bearer ${tokenOf(person)}` },
  })
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  const events: BaseEvent[] = []
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
  const { outcome } = events.at(-1) as unknown as { readonly outcome?: { readonly interrupts?: Interrupt[] } }
  return outcome?.interrupts?.[0]
}

test('a chat is not offered commands that would be refused', async () => {
  const asked = await answerTo('ben', 'run: echo x | tee ben.txt')
  expect(asked).toMatch(/^Waiting for a decision\.\n\n- `appr_\w+`: `echo x \| tee ben\.txt`/)
  expect(asked).toMatch(/An admin decides about it\.$/)
  expect(asked).not.toContain('/approve')
  expect(await answerTo('ada', 'run: echo x | tee ada.txt')).toMatch(/Answer `\/approve` to let it run/)
})

test('an interrupt says whether its page may decide', async () => {
  const forBen = await interruptFor('ben', 'run: echo x | tee ben.txt')
  expect(forBen).toMatchObject({ metadata: { mayDecide: false } })
  expect(forBen?.message).toMatch(/An admin decides about it\.$/)
  const forAda = await interruptFor('ada', 'run: echo x | tee ada.txt')
  expect(forAda).toMatchObject({ metadata: { mayDecide: true } })
  expect(forAda?.message).not.toContain('An admin decides')
})

interface Message {
  readonly parts: readonly { readonly type: string; readonly state?: string; readonly output?: unknown }[]
}
type Read = (options: { readonly stream: ReadableStream<never> }) => AsyncIterable<Message>
const readers = [
  { version: 7, read: current.readUIMessageStream as unknown as Read },
  { version: 6, read: before.readUIMessageStream as unknown as Read },
]

/** The states of the answer to a message, one after the other, as a page of the AI SDK has them. */
async function statesOf(chatId: string, text: string, read: Read): Promise<AsyncIterator<Message>> {
  const transport = new FactotumChatTransport({ client: connect({ url: story.app.url, token: tokenOf('ben') }) })
  const said = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] } as const
  const sent = { trigger: 'submit-message', chatId, messages: [said], abortSignal: undefined } as const
  const stream = (await transport.sendMessages(sent)) as ReadableStream<never>
  return read({ stream })[Symbol.asyncIterator]()
}

const callsOf = ({ parts }: Message): Message['parts'] => parts.filter(({ type }) => type === 'dynamic-tool')

async function untilHeld(states: AsyncIterator<Message>): Promise<Message> {
  for (let next = await states.next(); next.done !== true; next = await states.next()) {
    expect(callsOf(next.value)).not.toContainEqual(expect.objectContaining({ state: 'approval-requested' }))
    if (callsOf(next.value).some(({ output }) => output === 'It waits for a decision.')) return next.value
  }
  throw new Error('the answer has ended')
}

async function untilEnd(states: AsyncIterator<Message>): Promise<Message> {
  let last: Message | undefined
  for (let next = await states.next(); next.done !== true; next = await states.next()) last = next.value
  if (last === undefined) throw new Error('nothing came')
  return last
}

test.each(readers)('a page of the AI SDK $version is shown what waits, and what an admin decides', async (one) => {
  const { version, read } = one
  const chatId = `held-${version}`
  const states = await statesOf(chatId, 'run: echo yes | tee ben.txt', read)
  const held = await untilHeld(states)
  expect(callsOf(held)).toMatchObject([{ state: 'output-available', input: { command: 'echo yes | tee ben.txt' } }])
  const behind = await statesOf(chatId, 'Good evening', read)
  await using watch = watchAll(story.as('ada'), `@ben:${chatId}`)
  const [asked] = await untilAsked(watch)
  await decide(story.as('ada'), { id: asked?.id ?? '', approve: true })
  const answer = await untilEnd(states)
  const output = expect.stringContaining('yes') as string
  expect(callsOf(answer)).toMatchObject([{ state: 'output-available', output }])
  expect(answer.parts.at(-1)).toMatchObject({ type: 'text', text: output })
  const next = await untilEnd(behind)
  expect(callsOf(next)).toEqual([])
  expect(next.parts.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('> Good evening') })
})

test.each(readers)('a page of the AI SDK $version is shown that an admin has denied it', async ({ version, read }) => {
  const states = await statesOf(`denied-${version}`, 'run: echo no | tee ben.txt', read)
  await untilHeld(states)
  await using watch = watchAll(story.as('ada'), `@ben:denied-${version}`)
  const [asked] = await untilAsked(watch)
  await decide(story.as('ada'), { id: asked?.id ?? '', approve: false })
  const answer = await untilEnd(states)
  expect(callsOf(answer)[0]).toMatchObject({ state: 'output-error' })
})

test.each(readers)('a page of the AI SDK $version is shown that a delegated task waits', async ({ version, read }) => {
  const task = JSON.stringify({ task: 'run: echo below | tee ben.txt', expect: 'An answer.' })
  const states = await statesOf(`below-${version}`, `tool: delegation__delegate ${task}`, read)
  const held = await untilHeld(states)
  expect(callsOf(held)).toMatchObject([{ toolName: 'delegation__delegate' }])
  const text = 'query ($id: ID!) { session(id: $id) { approvals(status: [PENDING], delegated: true) { id } } }'
  const { session } = (await story.as('ada').run(text, { id: `@ben:below-${version}` })) as {
    session: { approvals: { id: string }[] }
  }
  await decide(story.as('ada'), { id: session.approvals[0]?.id ?? '', approve: true })
  const output = expect.stringContaining('below') as string
  expect(callsOf(await untilEnd(states))).toMatchObject([{ state: 'output-available', output }])
})
