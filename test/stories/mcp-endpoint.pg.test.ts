/** `POST /mcp`, as the protocol's own client uses it, by the rules that GraphQL has. */
import { writeFile } from 'node:fs/promises'
import { Client, StreamableHTTPClientTransport, type CallToolResult, type Progress } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { SessionDocument } from '../generated/graphql.ts'
import { approvalRules } from '../harness/approvals.ts'
import { converse, storyConfig, Story, tokenOf, type Person } from '../harness/story.ts'

const RULES = approvalRules('effect = "require"\ncommand = "tee"')

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES } })
})
afterAll(() => story[Symbol.asyncDispose]())

function connect(person: Person, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  return connectWith(tokenOf(person), mode)
}

async function connectWith(token: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'story', version: '1' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${story.app.url}/mcp`), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

/** Cleo gets a token that has done nothing yet, and may do so much in a minute, as may all others. */
async function limit(name: string, perMinute: number): Promise<{ readonly token: string } & AsyncDisposable> {
  const token = `${name}-token-for-the-story`
  const toml = `[tokens.${name}]\nkind = "user"\nuser = "cleo"\ntoken = "${token}"\n${RULES}`
  const settings = { requests_per_minute: perMinute }
  return { token, ...(await story.reconfigureForNow(storyConfig({ toml, settings }))) }
}

interface CallOptions {
  readonly args?: object
  readonly onprogress?: (progress: Progress) => void
  readonly signal?: AbortSignal
}

async function call(client: Client, name: string, { args = {}, ...options }: CallOptions = {}) {
  const result: CallToolResult = await client.callTool({ name, arguments: { ...args } }, options)
  const [part] = result.content
  const text = part?.type === 'text' ? part.text : ''
  // Fields are read by the assertions, which fail for what is not there.
  const value = (result.structuredContent ?? {}) as Record<string, never> & { readonly sessionId: string }
  return { text, isError: result.isError === true, value }
}

describe.each(['legacy', 'auto'] as const)('the official client, %s', (mode) => {
  test('asks, is told of progress, and reads what was said', async () => {
    const ada = await connect('ada', mode)
    expect(ada.getServerVersion()).toMatchObject({ name: 'factotum' })
    const progress: Progress[] = []
    const args = { content: 'run: echo from the tool' }
    const asked = await call(ada, 'ask', { args, onprogress: (step) => void progress.push(step) })
    expect(asked).toMatchObject({
      isError: false,
      value: { status: 'DONE', sessionId: expect.stringMatching(/^@ada:/) },
    })
    expect(asked.text).toContain('from the tool')
    expect(progress.map(({ message }) => message).join('\n')).toMatch(/PLANNING[^]*task 1 \(EXEC\): DONE/)
    const read = await call(ada, 'read_session', { args: { session: asked.value.sessionId } })
    expect(JSON.stringify(read.value)).toContain('run: echo from the tool')
    expect(JSON.stringify(read.value)).toContain('from the tool')
    const listed = await call(ada, 'list_sessions')
    expect(listed.text).toContain(asked.value.sessionId)
    const again = { session: asked.value.sessionId, content: 'once', idempotency_key: 'a-key' }
    const [first, second] = [await call(ada, 'ask', { args: again }), await call(ada, 'ask', { args: again })]
    expect(second).toEqual(first)
  })
})

test('an argument that is misspelt is named, and nothing is sent', async () => {
  const cleo = await connect('cleo')
  const { isError, text } = await call(cleo, 'ask', { args: { content: 'hello', sessions: '@cleo:thread' } })
  expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('did you mean "session"?') })
  expect((await call(cleo, 'list_sessions')).value).toMatchObject({ edges: [] })
})

test('of many arguments that are not there a few are named, of a long one its beginning', async () => {
  const ada = await connect('ada')
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`none${n}`, n]))
  const { isError, text } = await call(ada, 'ask', { args: { content: 'Hello', ...many } })
  expect({ isError, named: text.match(/there is no/g)?.length }).toEqual({ isError: true, named: 5 })
  const long = await call(ada, 'ask', { args: { content: 'Hello', ['s'.repeat(100_000)]: 1 } })
  expect(long).toMatchObject({ isError: true, text: expect.stringContaining(`there is no "${'s'.repeat(60)}"`) })
})

test.each(['ask', 'send_message'])(
  '%s with one key and no session opens one session and says it once',
  async (tool) => {
    const ada = await connect('ada')
    const args = { content: `hello by ${tool}`, idempotency_key: `key of ${tool}` }
    const [first, second] = [await call(ada, tool, { args }), await call(ada, tool, { args })]
    expect(first).toMatchObject({ isError: false, value: { sessionId: expect.stringMatching(/^@ada:mcp:/) } })
    // Without the answer of send_message, whose message is further on by then.
    const said = ({ text, value: { sessionId, id, turnId } }: typeof first) =>
      tool === 'ask' ? { sessionId, turnId, text } : { sessionId, id }
    expect(said(second)).toEqual(said(first))
    const { sessionId } = first.value
    const { session } = await story.as('ada').run(SessionDocument, { id: sessionId })
    expect(session).toMatchObject({ messageCount: 1 })
    const other = await call(ada, tool, { args: { ...args, idempotency_key: `another key of ${tool}` } })
    expect(other).toMatchObject({ isError: false, value: { sessionId: expect.not.stringContaining(sessionId) } })
    const reused = await call(ada, tool, { args: { ...args, content: 'another text' } })
    expect(reused).toMatchObject({ isError: true, text: expect.stringContaining('was used in this session') })
    // The same key of another token is another's.
    const bens = await call(await connect('ben'), tool, { args })
    expect(bens).toMatchObject({ isError: false, value: { sessionId: expect.stringMatching(/^@ben:mcp:/) } })
  },
)

test.each(['ask', 'send_message'])('%s with a message that is refused opens no session', async (tool) => {
  const ben = await connect('ben')
  const sessions = async (): Promise<string[]> => {
    const { text } = await call(ben, 'list_sessions', { args: { first: 100 } })
    const { edges } = JSON.parse(text) as { readonly edges: readonly { readonly node: { readonly id: string } }[] }
    return edges.map(({ node }) => node.id).toSorted()
  }
  const before = await sessions()
  for (const args of [{ content: ' ' }, { content: 'hello', user: 'ada' }, { content: ' ', idempotency_key: 'blank' }])
    expect(await call(ben, tool, { args })).toMatchObject({ isError: true })
  expect(await sessions()).toEqual(before)
})

test('each is shown the tools and the sessions that are theirs', async () => {
  const [ada, ben, discord] = [await connect('ada'), await connect('ben'), await connect('discord')]
  const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)
  const all = ['ask', 'decide_approval', 'list_sessions', 'read_session', 'search_facts', 'send_message']
  expect((await names(ada)).toSorted()).toEqual(all)
  expect((await names(ben)).toSorted()).toEqual(all.filter((name) => name !== 'search_facts'))
  await converse(story.as('ada'), 'cli:hers', 'a secret plan')
  const refusedRead = await call(ben, 'read_session', { args: { session: 'cli:hers' } })
  expect(refusedRead).toMatchObject({ isError: true, text: 'There is no session "cli:hers" that you may see.' })
  expect((await call(ben, 'list_sessions')).text).not.toContain('cli:hers')
  for (const tool of ['send_message', 'ask']) {
    const refused = await call(ben, tool, { args: { session: 'cli:hers', content: 'let me in' } })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(/^[A-Z].*\.$/)
  }
  const sent = await call(discord, 'ask', { args: { session: 'discord:room', content: 'hello', user: 'Ben#1' } })
  expect(sent).toMatchObject({ isError: false, value: { status: 'DONE' } })
  const stranger = await call(discord, 'ask', { args: { session: 'discord:room', content: 'hello', user: 'Nobody#9' } })
  expect(stranger).toMatchObject({ isError: false, value: { turn: null } })
  const spaced = await call(ada, 'ask', { args: { session: 'not an id', content: 'hello' } })
  expect(spaced).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^sessionId: must be 1 to 255 characters/),
  })
  const empty = await call(ada, 'send_message', { args: { session: 'cli:hers', content: '' } })
  expect(empty).toMatchObject({ isError: true, text: expect.stringContaining('content') })
})

test('facts for admins', async () => {
  const ada = await connect('ada')
  await call(ada, 'ask', { args: { content: 'learn: The project Dunlin builds with ninja.\nrun: echo hi' } })
  await expect
    .poll(async () => (await call(ada, 'search_facts', { args: { search: 'Dunlin' } })).text)
    .toContain('ninja')
})

test('what waits for an approval is told, and decided', async () => {
  const ada = await connect('ada')
  const asked = await call(ada, 'ask', { args: { content: 'run: echo yes | tee out.txt' } })
  expect(asked).toMatchObject({
    isError: false,
    value: {
      status: 'AWAITING_APPROVAL',
      waits: 'It waits until a person approves task 1.',
      next: expect.stringContaining('decide_approval'),
      approvals: [{ id: expect.stringMatching(/^appr_/) }],
    },
  })
  const { approvals } = asked.value as unknown as { approvals: readonly { id: string }[] }
  const id = approvals[0]?.id
  expect((await call(ada, 'read_session', { args: { session: asked.value.sessionId } })).text).toContain(id)
  const decided = await call(ada, 'decide_approval', { args: { approval: id, approve: true, note: 'Go on.' } })
  expect(decided).toMatchObject({ isError: false, value: { status: 'APPROVED' } })
  await expect
    .poll(async () => (await call(ada, 'read_session', { args: { session: asked.value.sessionId } })).value)
    .toMatchObject({ status: 'IDLE' })
  expect(await call(ada, 'decide_approval', { args: { approval: id, approve: false } })).toMatchObject({
    isError: true,
  })
})

test('what a delegated task waits for is said at once, and decided', async () => {
  const ada = await connect('ada')
  const task = { task: 'run: echo below | tee out.txt', expect: 'An answer.' }
  const asked = await call(ada, 'ask', { args: { content: `tool: delegation__delegate ${JSON.stringify(task)}` } })
  const { approvals, sessionId } = asked.value as unknown as {
    approvals: readonly { id: string }[]
    sessionId: string
  }
  const id = approvals[0]?.id ?? ''
  expect(asked.value).toMatchObject({
    status: 'RUNNING',
    approvals: [{ task: { detail: 'echo below | tee out.txt' } }],
  })
  expect(asked.value).toMatchObject({ waits: expect.stringContaining(`A decision is waited for there: ${id}.`) })
  await call(ada, 'decide_approval', { args: { approval: id, approve: true } })
  await expect
    .poll(async () => (await call(ada, 'read_session', { args: { session: sessionId } })).value)
    .toMatchObject({ status: 'IDLE' })
})

test('who approves a whole plan is shown all that it runs', async () => {
  const session = 'cli:strangers-wrote'
  await story.as('bridge').session(session).send('Hello', { user: 'Mallory' })
  const ada = await connect('ada')
  const asked = await call(ada, 'ask', { args: { session, content: 'run: echo first\nrun: echo second' } })
  const shown = [{ kind: 'PLAN', task: { plan: { tasks: [{ detail: 'echo first' }, { detail: 'echo second' }, {}] } } }]
  expect(asked.value).toMatchObject({ status: 'AWAITING_APPROVAL', approvals: shown })
  expect((await call(ada, 'read_session', { args: { session } })).value).toMatchObject({ approvals: shown })
})

test('what comes after a turn that waits for an approval shows what it waits for', async () => {
  const ada = await connect('ada')
  const session = '@ada:behind'
  await call(ada, 'ask', { args: { session, content: 'run: echo yes | tee out.txt' } })
  const behind = await call(ada, 'ask', { args: { session, content: 'hello' } })
  expect(behind).toMatchObject({
    isError: false,
    value: {
      status: 'QUEUED',
      waits: 'An earlier turn comes first. It waits until a person approves task 1.',
      approvals: [{ id: expect.stringMatching(/^appr_/) }],
    },
  })
})

test('ask goes on waiting for what was approved but has not begun, and for what was delegated', async () => {
  await story.reconfigure(storyConfig({ toml: RULES, settings: { max_running_per_user: 1 } }))
  const ada = await connect('ada')
  const args = { session: '@ada:approved', content: 'run: echo a | tee a.txt', idempotency_key: 'approved' }
  const asked = await call(ada, 'ask', { args })
  const { approvals } = asked.value as unknown as { approvals: readonly { id: string }[] }
  const gate = story.path('busy')
  const busy = `run: until [ -e ${gate} ]; do sleep 0.02; done`
  await call(ada, 'send_message', { args: { session: '@ada:busy', content: busy } })
  const standing = async () => (await call(ada, 'read_session', { args: { session: '@ada:busy' } })).value
  await expect.poll(standing).toMatchObject({ status: 'RUNNING' })
  await call(ada, 'decide_approval', { args: { approval: approvals[0]?.id, approve: true } })
  const late = { ...args, timeout_seconds: 1 }
  expect((await call(ada, 'ask', { args: late })).value).toMatchObject({ status: 'AWAITING_APPROVAL', waits: null })
  const behind = { session: '@ada:approved', content: 'hello', timeout_seconds: 1 }
  expect((await call(ada, 'ask', { args: behind })).value).toMatchObject({ status: 'QUEUED', waits: null })
  const again = call(ada, 'ask', { args })
  await writeFile(gate, '')
  expect(await again).toMatchObject({ isError: false, value: { status: 'DONE', answer: expect.stringContaining('a') } })
  const delegated = await call(ada, 'ask', { args: { content: '/delegate run: echo from the child' } })
  expect(delegated).toMatchObject({ value: { status: 'DONE', answer: expect.stringContaining('from the child') } })
  const stuck = { content: '/delegate run: echo b | tee b.txt', timeout_seconds: 1 }
  expect((await call(ada, 'ask', { args: stuck })).value).toMatchObject({ waits: expect.stringContaining('delegated') })
  await story.reconfigure(storyConfig({ toml: RULES }))
})

test('of a turn that fails or is cancelled, its session is named', async () => {
  await story.reconfigure(storyConfig({ toml: RULES, settings: { max_replan_depth: 0 } }))
  const ada = await connect('ada')
  const failed = await ada.callTool({ name: 'ask', arguments: { content: 'fail:\nrun: exit 1' } })
  expect(failed).toMatchObject({
    isError: true,
    structuredContent: { status: 'FAILED', sessionId: expect.stringMatching(/^@ada:/) },
    content: [{}, { text: expect.stringMatching(/in session "@ada:[^"]+": read_session/) }],
  })
  await story.reconfigure(storyConfig({ toml: RULES }))
})

test('of a message that was sent and whose turn cannot be followed, the session is named', async () => {
  // Two for the connection; then the session is opened, sent to, and not followed.
  await using limited = await limit('lost', 4)
  const lost = await call(await connectWith(limited.token), 'ask', { args: { content: 'hello' } })
  expect(lost).toMatchObject({
    isError: true,
    text: expect.stringContaining('Too many operations'),
    value: { sessionId: expect.stringMatching(/^@cleo:/), turnId: expect.any(String) },
  })
})

test('a deadline, a cancel and a removed token end the waiting, not the turn', async () => {
  const ada = await connect('ada')
  const gate = story.path('gate')
  const content = `run: until [ -e ${gate} ]; do sleep 0.02; done; echo went $((1 + 1)) on`
  const shownOf = async (session: string) => (await call(ada, 'read_session', { args: { session } })).value
  const late = await call(ada, 'ask', { args: { session: '@ada:late', content, timeout_seconds: 1 } })
  // Where the machine is busy, the turn may not have begun by then.
  const status = expect.stringMatching(/^(RUNNING|QUEUED)$/)
  expect(late).toMatchObject({ isError: false, value: { status, next: expect.stringContaining('goes on') } })
  const stop = new AbortController()
  const stopped = call(ada, 'ask', { args: { session: '@ada:stopped', content }, signal: stop.signal })
  await expect.poll(() => shownOf('@ada:stopped')).toMatchObject({ status: 'RUNNING' })
  stop.abort()
  await expect(stopped).rejects.toThrow(/abort/i)
  await writeFile(gate, '')
  for (const session of ['@ada:late', '@ada:stopped']) {
    await expect.poll(async () => JSON.stringify(await shownOf(session))).toContain('went 2 on')
    await expect.poll(() => shownOf(session)).toMatchObject({ status: 'IDLE' })
  }
  const cleo = await connect('cleo')
  const asked = call(cleo, 'ask', { args: { session: '@cleo:gone', content: 'wait: 600000' } })
  await expect
    .poll(async () => (await call(cleo, 'read_session', { args: { session: '@cleo:gone' } })).value)
    .toMatchObject({ status: 'RUNNING' })
  const without = storyConfig({ toml: RULES }).replace(tokenOf('cleo'), 'another-token-for-cleo')
  await story.reconfigure(without)
  expect(await asked).toMatchObject({ value: { status: 'RUNNING' } })
  await story.reconfigure(storyConfig({ toml: RULES }))
})

describe('what is no request for tools', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const accept = 'application/json, text/event-stream'
  interface Post {
    readonly path?: string
    readonly method?: string
    readonly body?: string | null
    readonly headers?: Readonly<Record<string, string>>
  }
  const post = ({ path = '/mcp', method = 'POST', body = ping, headers = {} }: Post = {}): Promise<Response> => {
    const usual = { authorization: `Bearer ${tokenOf('ada')}`, 'content-type': 'application/json', accept }
    return fetch(`${story.app.url}${path}`, { method, body, headers: { ...usual, ...headers } })
  }

  test.each([
    ['no token', { headers: { authorization: '' } }, 401],
    ['an unknown token', { headers: { authorization: 'Bearer nobody' } }, 401],
    ['GET', { method: 'GET', body: null }, 405],
    ['a form', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no JSON', { body: '{' }, 400],
    ['a deep body', { body: '['.repeat(100_000) + ']'.repeat(100_000) }, 400],
    ['a large body', { body: JSON.stringify('x'.repeat(1024 * 1024)) }, 413],
    ['another path', { path: '/mcpx' }, 404],
    ['nothing wrong', {}, 200],
  ] as const)('%s', async (_what, sent, status) => {
    const answer = await post(sent)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
  })

  test('counts against the rate of the token', async () => {
    await using limited = await limit('pinged', 3)
    const headers = { authorization: `Bearer ${limited.token}` }
    const statuses = []
    for (let times = 0; times < 5; times += 1) statuses.push((await post({ headers })).status)
    expect(statuses.slice(0, 2)).toEqual([200, 200])
    expect(statuses.at(-1)).toBe(429)
    const listing = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } }
    const refused = await post({ headers, body: JSON.stringify(listing) })
    expect(await refused.text()).toContain('Too many operations')
  })

  test.each([
    ['a tool that is not there', 'nothing', { name: 'nothing', arguments: {} }],
    ['arguments that the tool does not take', 'wrong', { name: 'read_session', arguments: { session: 5 } }],
  ])('a call with %s counts against the rate, too', async (_what, name, params) => {
    await using limited = await limit(name, 3)
    const headers = { authorization: `Bearer ${limited.token}` }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const statuses = []
    for (let times = 0; times < 5; times += 1) statuses.push((await post({ headers, body })).status)
    expect(statuses.at(-1)).toBe(429)
  })
})
