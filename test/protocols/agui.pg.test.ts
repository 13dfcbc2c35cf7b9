/**
 * `POST /agui`, as AG-UI's own client uses it and verifies what comes, by the rules that GraphQL has: in its current
 * version, and the one that CopilotKit has.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HttpAgent as HttpAgentBefore } from 'ag-ui-client-0'
import { HttpAgent, type BaseEvent, type Interrupt, type RunAgentParameters } from '@ag-ui/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspacePath } from '../../src/execution/workspace/workspace.ts'
import { approvalRules, decide } from '../harness/approvals.ts'
import { Story, tokenOf, type Person } from '../harness/story.ts'

const RULES = `[approvals]\nown_user_may_decide = true\n${approvalRules('effect = "require"\ncommand = "tee"')}`

let story: Story
beforeAll(async () => {
  story = await Story.begin({ config: { toml: RULES } })
})
afterAll(() => story[Symbol.asyncDispose]())

type Connect = (person: Person, threadId: string) => HttpAgent

/** Alike in all that is used here. */
const CLIENTS = { 1: HttpAgent, 0: HttpAgentBefore as unknown as typeof HttpAgent }

function connectBy(version: keyof typeof CLIENTS): Connect {
  const Agent = CLIENTS[version]
  return (person, threadId) => {
    const headers = { authorization: `Bearer ${tokenOf(person)}` }
    return new Agent({ url: `${story.app.url}/agui`, threadId: `${threadId}-${version}`, headers })
  }
}

/** Runs it, and returns the events that came; the client throws for any that breaks the protocol. */
async function run(agent: HttpAgent, parameters: RunAgentParameters = {}): Promise<BaseEvent[]> {
  const events: BaseEvent[] = []
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) })
  return events
}

let messages = 0
function say(agent: HttpAgent, content: string): void {
  messages += 1
  agent.addMessage({ id: `message-${messages}`, role: 'user', content })
}

const typesOf = (events: readonly BaseEvent[]): string[] => events.map(({ type }) => type)
const textsOf = (agent: HttpAgent): unknown[] =>
  agent.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)

async function contentsIn(person: Person, id: string): Promise<string[]> {
  const text = 'query ($id: ID!) { session(id: $id) { messages(last: 50) { edges { node { content } } } } }'
  const { session } = (await story.as(person).run(text, { id })) as {
    session: { messages: { edges: { node: { content: string } }[] } }
  }
  return session.messages.edges.map(({ node }) => node.content)
}

describe.each([1, 0] as const)('by version %s of its client', (version) => {
  const connect = connectBy(version)

  test('a plan is state, its tasks are calls of tools, its text is a message', async () => {
    const agent = connect('ada', 'plans')
    say(agent, 'run: echo from the agent')
    const events = await run(agent)
    const types = typesOf(events)
    expect(types.slice(0, 2)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT'])
    expect(types).toEqual(
      expect.arrayContaining(['STEP_STARTED', 'STATE_DELTA', 'TOOL_CALL_RESULT', 'TEXT_MESSAGE_END']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(agent.state).toMatchObject({
      plan: {
        attempt: 1,
        tasks: [
          { type: 'EXEC', status: 'DONE' },
          { type: 'MSG', status: 'DONE' },
        ],
      },
    })
    expect(textsOf(agent).join('\n')).toContain('from the agent')
    const result = agent.messages.find(({ role }) => role === 'tool')
    expect(result?.content).toContain('from the agent')
    say(agent, 'And now?')
    await run(agent)
    expect(await contentsIn('ada', `@ada:plans-${version}`)).toEqual(['run: echo from the agent', 'And now?'])
  })

  test('thoughts, and the calls of a conversation', async () => {
    const agent = connect('ada', 'thoughts')
    say(agent, 'think: Let me see.\nrun: echo called\nHello')
    const events = await run(agent, { forwardedProps: { mode: 'CHAT' } })
    expect(typesOf(events)).toEqual(
      expect.arrayContaining(['REASONING_START', 'REASONING_MESSAGE_CONTENT', 'REASONING_END']),
    )
    expect(textsOf(agent).join('\n')).toContain('> Hello')
    expect(agent.state).toMatchObject({
      plan: { tasks: expect.arrayContaining([expect.objectContaining({ type: 'EXEC' })]) },
    })
  })

  test('an approval interrupts the run, and a resume goes on with the same turn', async () => {
    const agent = connect('ben', 'approvals')
    say(agent, 'run: echo yes | tee out.txt')
    const asked = await run(agent)
    const { outcome } = asked.at(-1) as unknown as { outcome: { type: string; interrupts: Interrupt[] } }
    expect(outcome).toMatchObject({ type: 'interrupt', interrupts: [{ id: expect.stringMatching(/^appr_/) }] })
    const interruptId = outcome.interrupts[0]?.id ?? ''
    const resume = [{ interruptId, status: 'resolved' as const, payload: { approved: true, note: 'Go on.' } }]
    const cleo = connect('cleo', 'approvals')
    await expect(run(cleo, { resume })).rejects.toThrow('NOT_FOUND')
    const resumed = await run(agent, { resume })
    expect(resumed[1]).toMatchObject({ type: 'STATE_SNAPSHOT', snapshot: { plan: { tasks: [{ type: 'EXEC' }, {}] } } })
    expect(agent.state).toMatchObject({ plan: { tasks: [{ status: 'DONE' }, { status: 'DONE' }] } })
    expect(resumed.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(typesOf(resumed)).toContain('TOOL_CALL_RESULT')
    expect(textsOf(agent).join('\n')).toContain('yes')
    const repeated = await run(agent, { resume })
    expect(typesOf(repeated).filter((type) => /^(?:TEXT|TOOL|RUN)/.test(type))).toEqual(['RUN_STARTED', 'RUN_FINISHED'])
    expect(agent.state).toMatchObject({ plan: { tasks: [{ status: 'DONE' }, { status: 'DONE' }] } })
    expect(await contentsIn('ben', `@ben:approvals-${version}`)).toEqual(['run: echo yes | tee out.txt'])
  })

  test('what a delegated task needs a decision for interrupts the run, and a resume goes on with it', async () => {
    const agent = connect('ada', 'delegated')
    const task = { task: 'run: echo below | tee out.txt', expect: 'An answer.' }
    say(agent, `tool: delegation__delegate ${JSON.stringify(task)}`)
    const { outcome } = (await run(agent)).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
    expect(outcome).toMatchObject({
      type: 'interrupt',
      interrupts: [{ message: expect.stringContaining('tee out.txt') }],
    })
    const payload = { approved: true }
    const resume = [{ interruptId: outcome.interrupts[0]?.id ?? '', status: 'resolved' as const, payload }]
    const resumed = await run(agent, { resume })
    expect(resumed.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(agent.state).toMatchObject({ plan: { tasks: [{ type: 'TOOL', status: 'DONE' }, { status: 'DONE' }] } })
    expect(textsOf(agent).join('\n')).toContain('below')
  })

  test('a page that was cut off after its decision, and decides again, sees what came of it', async () => {
    const agent = connect('ben', 'cut-off')
    say(agent, 'run: echo yes | tee out.txt')
    const { outcome } = (await run(agent)).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
    const payload = { approved: true }
    const resume = [{ interruptId: outcome.interrupts[0]?.id ?? '', status: 'resolved' as const, payload }]
    await run(connect('ben', 'cut-off'), { resume })
    await run(agent, { resume })
    expect(agent.messages.find(({ role }) => role === 'tool')?.content).toContain('yes')
    expect(textsOf(agent).join('\n')).toContain('yes')
  })

  test('a decision about a turn that is over waits for nothing, whatever else happens in the session', async () => {
    const id = `@ben:over-${version}`
    const agent = connect('ben', 'over')
    say(agent, 'run: echo yes | tee out.txt')
    const { outcome } = (await run(agent)).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
    const payload = { approved: true }
    const resume = [{ interruptId: outcome.interrupts[0]?.id ?? '', status: 'resolved' as const, payload }]
    await run(agent, { resume })
    const gate = join(workspacePath(story.home, id), 'gate')
    const busy = connect('ben', 'over')
    say(busy, 'run: until [ -e gate ]; do echo tick; sleep 0.005; done')
    const other = run(busy)
    const running = `{ session(id: "${id}") { view { activeTurn { progress { output } } } } }`
    await expect.poll(async () => JSON.stringify((await story.as('ben').request(running)).data)).toContain('tick')
    const repeated = await Promise.all(Array.from({ length: 20 }, () => run(connect('ben', 'over'), { resume })))
    for (const events of repeated) expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' })
    writeFileSync(gate, '')
    await other
  })

  test('a page gives up what waits, or waits no more, and says something else', async () => {
    const id = `@ben:given-up-${version}`
    const agent = connect('ben', 'given-up')
    const asked = async (resume: RunAgentParameters['resume'] = []): Promise<string> => {
      const { outcome } = (await run(agent, { resume })).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
      expect(outcome.interrupts).toHaveLength(1)
      return outcome.interrupts[0]?.id ?? ''
    }
    say(agent, 'run: echo first | tee out.txt')
    const first = await asked()
    await story.as('ben').run(`mutation { cancelTurn(input: { sessionId: "${id}" }) { __typename } }`)
    const standing = `{ session(id: "${id}") { status } }`
    await expect.poll(() => story.as('ben').run(standing)).toEqual({ session: { status: 'IDLE' } })
    say(agent, 'run: echo second | tee out.txt')
    const second = await asked([{ interruptId: first, status: 'cancelled' }])
    say(agent, 'Something else.')
    const resume = [{ interruptId: second, status: 'cancelled' as const }]
    expect((await run(agent, { resume })).at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(await contentsIn('ben', id)).toEqual([
      'run: echo first | tee out.txt',
      'run: echo second | tee out.txt',
      'Something else.',
    ])
    expect(textsOf(agent).join('\n')).toContain('Something else.')
  })

  test('a page gives up what was approved elsewhere: it is shown what came of it, and then its message', async () => {
    const agent = connect('ben', 'elsewhere')
    say(agent, 'run: echo yes | tee out.txt')
    const { outcome } = (await run(agent)).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
    const id = outcome.interrupts[0]?.id ?? ''
    await decide(story.as('ben'), { id, approve: true })
    const standing = `{ session(id: "@ben:elsewhere-${version}") { status } }`
    await expect.poll(() => story.as('ben').run(standing)).toEqual({ session: { status: 'IDLE' } })
    say(agent, 'Something else.')
    const events = await run(agent, { resume: [{ interruptId: id, status: 'cancelled' }] })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(textsOf(agent).join('\n')).toMatch(/ yes\n[^]*Something else\./)
  })

  test('a page gives up what waits, and says the same once more', async () => {
    const agent = connect('ben', 'once-more')
    say(agent, 'run: echo yes | tee out.txt')
    const { outcome } = (await run(agent)).at(-1) as unknown as { outcome: { interrupts: Interrupt[] } }
    const resume = [{ interruptId: outcome.interrupts[0]?.id ?? '', status: 'cancelled' as const }]
    say(agent, 'run: echo yes | tee out.txt')
    expect((await run(agent, { resume })).at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'interrupt' },
    })
    expect(await contentsIn('ben', `@ben:once-more-${version}`)).toHaveLength(2)
  })

  test('a page that comes back goes on with the turn, and is told nothing twice', async () => {
    const agent = connect('ben', 'back')
    say(agent, 'run: echo one; until [ -e gate ]; do sleep 0.05; done; echo two')
    const left = run(agent).catch(() => undefined)
    const running = `{ session(id: "@ben:back-${version}") { view { activeTurn { progress { output } } } } }`
    await expect.poll(async () => JSON.stringify((await story.as('ben').request(running)).data)).toContain('one')
    agent.abortRun()
    await left
    const gate = join(workspacePath(story.home, `@ben:back-${version}`), 'gate')
    await agent.runAgent({}, { onEvent: () => writeFileSync(gate, '') })
    const again = await run(agent)
    expect(typesOf(again)).not.toContain('TEXT_MESSAGE_START')
    expect(again.at(-1)).toMatchObject({ type: 'RUN_FINISHED' })
    expect(textsOf(agent).filter((text) => String(text).includes('two'))).toHaveLength(1)
    expect(agent.messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
    expect(await contentsIn('ben', `@ben:back-${version}`)).toHaveLength(1)
  })

  test('a page that comes back has each thought once', async () => {
    const agent = connect('ben', 'thinks')
    const chat = { forwardedProps: { mode: 'CHAT' } }
    say(agent, 'think: Let me see.\nrun: echo one; until [ -e gate ]; do sleep 0.05; done; echo two')
    const left = run(agent, chat).catch(() => undefined)
    const running = `{ session(id: "@ben:thinks-${version}") { view { activeTurn { progress { output } } } } }`
    await expect.poll(async () => JSON.stringify((await story.as('ben').request(running)).data)).toContain('one')
    const thoughts = () => agent.messages.filter(({ role }) => role === 'reasoning').map(({ content }) => content)
    await expect.poll(thoughts).toEqual(['Let me see.'])
    agent.abortRun()
    await left
    const gate = join(workspacePath(story.home, `@ben:thinks-${version}`), 'gate')
    await agent.runAgent(chat, { onEvent: () => writeFileSync(gate, '') })
    expect(thoughts().slice(0, 1)).toEqual(['Let me see.'])
    expect(textsOf(agent).join('\n')).toContain('two')
  })

  test('a turn that is cancelled, and one that fails', async () => {
    const agent = connect('ben', 'ends')
    say(agent, 'run: echo begun; sleep 60')
    const ran = run(agent)
    const running = `{ session(id: "@ben:ends-${version}") { view { activeTurn { progress { output } } } } }`
    await expect.poll(async () => JSON.stringify((await story.as('ben').request(running)).data)).toContain('begun')
    await story.as('ben').run(`mutation { cancelTurn(input: { sessionId: "@ben:ends-${version}" }) { __typename } }`)
    const end = (await ran).at(-1) as { readonly type: string; readonly outcome?: object }
    expect(end.type).toBe('RUN_FINISHED')
    expect(end.outcome).toEqual(version === 1 ? { type: 'cancelled' } : undefined)
  })
})

describe('what is refused', () => {
  const input = {
    threadId: 't',
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: 'x' }],
    tools: [],
    context: [],
  }
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${story.app.url}/agui`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${tokenOf('ben')}`, 'content-type': 'application/json', ...headers },
    })
  test.each([
    ['an unknown token', input, { authorization: 'Bearer nobody' }, 401],
    ['too long a history', { ...input, messages: [{ id: 'o', role: 'user', content: 'x'.repeat(2 ** 20) }] }, {}, 413],
    ['no thread', { ...input, threadId: '' }, {}, 400],
    ['tools', { ...input, tools: [{ name: 'f', description: '', parameters: {} }] }, {}, 400],
    ["another's thread", { ...input, threadId: '@ada:plans-1' }, {}, 404],
    ['no interrupt', { ...input, resume: [{ interruptId: 'x', status: 'cancelled' }] }, {}, 400],
  ] as const)('%s', async (...[, body, headers, status]) => {
    const answer = await post(body, headers)
    expect(answer.status).toBe(status)
    const refusal = await answer.json()
    expect(refusal).toMatchObject({ message: expect.any(String), code: expect.any(String) })
    expect(JSON.stringify(refusal).includes('Leave out older messages')).toBe(status === 413)
  })

  test('an id that another message has, by the id that the page gave', async () => {
    const threadId = 'counted-anew'
    await (await post({ ...input, threadId })).text()
    const answer = await post({ ...input, threadId, messages: [{ id: 'm', role: 'user', content: 'y' }] })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      code: 'CONFLICT',
      message:
        'messages: the id "m" is that of another message of this thread, which stands. Give the new one an id of its own.',
    })
  })
})
