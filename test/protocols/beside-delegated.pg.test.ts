/** What is asked for beside a delegated task in its session, and in that session itself, at `/v1` and `/agui`. */
import { HttpAgent, type BaseEvent, type Interrupt, type RunAgentParameters } from '@ag-ui/client'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { approvalRules } from '../harness/approvals.ts'
import { Story, tokenOf } from '../harness/story.ts'

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES } })
})
afterAll(() => story[Symbol.asyncDispose]())

/** In the session that the client names. */
async function say(session: string, content: string): Promise<string> {
  const defaultHeaders = { 'x-factotum-session': session }
  const baseURL = `${story.app.url}/v1`
  const client = new OpenAI({ baseURL, apiKey: tokenOf('ada'), defaultHeaders, maxRetries: 0 })
  const messages = [...(saidIn.get(session) ?? []), { role: 'user', content } as const]
  const { choices } = await client.chat.completions.create({ model: 'factotum', messages })
  const answer = choices[0]?.message.content ?? ''
  saidIn.set(session, [...messages, { role: 'assistant', content: answer }])
  return answer
}
const saidIn = new Map<string, OpenAI.ChatCompletionMessageParam[]>()

async function run(agent: HttpAgent, parameters: RunAgentParameters = {}): Promise<BaseEvent | undefined> {
  const events: BaseEvent[] = []
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) })
  return events.at(-1)
}

const delegating = (task: string): string =>
  `tool: delegation__delegate ${JSON.stringify({ task, expect: 'An answer.' })}`

async function childOf(session: string): Promise<string> {
  const read = `{ session(id: "${session}") { children { id } } }`
  const found = (await story.as('ada').run(read)) as { session: { children: { id: string }[] } }
  return found.session.children[0]?.id ?? ''
}

const idsIn = (text: string): readonly string[] => text.match(/appr_\w+/g) ?? []

test('what is asked for beside a task that has ended is not asked for where it was delegated', async () => {
  await say('@ada:ended', delegating('run: echo below'))
  const child = await childOf('@ada:ended')
  const [beside = ''] = idsIn(await say(child, 'run: echo beside | tee beside.txt'))
  const asked = await say('@ada:ended', 'run: echo own | tee own.txt')
  expect(asked).toContain('own.txt')
  expect(idsIn(asked)).toHaveLength(1)
  await say('@ada:ended', '/approve')
  const read = `{ node(id: "${beside}") { ... on Approval { status } } }`
  expect(await story.as('ada').run(read)).toEqual({ node: { status: 'PENDING' } })
  expect(await say(child, '/approve')).toMatch(/ beside$/)
})

test('in the session of a delegated task it is decided, and answered there', async () => {
  await say('@ada:within', delegating('run: echo below | tee out.txt'))
  const child = await childOf('@ada:within')
  expect(await say(child, 'And good evening')).toMatch(/^Waiting for a decision\. Your message is kept/)
  expect(await say(child, '/approve')).toMatch(/ below\n\n[^]*> And good evening/)
})

test('a page in the session of a delegated task goes on with what is done there', async () => {
  await say('@ada:page', delegating('run: echo below | tee out.txt'))
  const threadId = await childOf('@ada:page')
  const headers = { authorization: `Bearer ${tokenOf('ada')}` }
  const agent = new HttpAgent({ url: `${story.app.url}/agui`, threadId, headers })
  const { outcome } = (await run(agent)) as unknown as { outcome: { interrupts: Interrupt[] } }
  const resume = [
    { interruptId: outcome.interrupts[0]?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
  ]
  await run(agent, { resume })
  expect(agent.state).toMatchObject({ plan: { tasks: [{ type: 'EXEC', status: 'DONE' }, { status: 'DONE' }] } })
})
