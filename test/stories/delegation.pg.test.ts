/** Tasks that turns delegate to sessions of their own: what comes back, what is bounded, and what ends with what. */
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerRehearsal } from '../../src/model/rehearsal/rehearsal-answers.ts'
import { ApiClient } from '../harness/api-client.ts'
import { approvalRules, decide } from '../harness/approvals.ts'
import { Lifeline } from '../harness/lifeline.ts'
import { select } from '../harness/plugins.ts'
import { queueOf } from '../harness/queue.ts'
import { converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll, type StoryConfig } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { useStubStory } from '../harness/use-stub-story.ts'
import { answerWell } from '../model/good-answers.ts'
import { answerWhole, type StubAnswer, type StubCall } from '../model/stub-endpoint.ts'
import {
  AddParticipantDocument,
  AskedBelowDocument,
  CancelTurnDocument,
  ChildrenDocument,
  DelegationsDocument,
  DeleteSessionDocument,
  OpenSessionDocument,
  SetBusyPolicyDocument,
  type DelegationsQuery,
} from '../generated/graphql.ts'

type Delegated = DelegationsQuery['delegations']['edges'][number]['node']

/** Ben may delegate, and there is another admin, who has delegated nothing that day. */
function configWith(settings: StoryConfig['settings'] = {}): string {
  return `${storyConfig({ settings }).replace('[users.ben]\n', '[users.ben]\ntools = ["delegation__*"]\n')}
[users.dora]
role = "admin"
[tokens.dora]
kind = "user"
user = "dora"
token = "dora-token-for-the-story"
`
}

const stubbed = useStubStory()
let story: Story
beforeAll(async () => {
  story = await Story.begin()
  await story.reconfigure(configWith())
})
afterAll(() => story?.[Symbol.asyncDispose]())

const call = (task: string, more: object = {}): string =>
  `tool: delegation__delegate ${JSON.stringify({ task, expect: 'An answer.', ...more })}`

async function delegatedBy(client: ApiClient, sessionId: string): Promise<readonly Delegated[]> {
  const { delegations } = await client.run(DelegationsDocument, { filter: { sessionId } })
  return delegations.edges.map(({ node }) => node).toReversed()
}

test('/delegate is the call that a model would make, in both modes, with the rights of any call', async () => {
  const ben = story.as('ben')
  const turn = await converse(ben, '@ben:typed', '/delegate run: echo from the child')
  expect(turn).toMatchObject({
    status: 'DONE',
    tasks: [{ tool: 'delegation__delegate', status: 'DONE' }, { type: 'MSG' }],
  })
  expect(turn.tasks[0]?.output).toContain('from the child')
  expect(turn.answers.join()).toContain('from the child')
  const cleo = await converse(story.as('cleo'), '@cleo:typed', '/delegate run: echo from the child')
  expect(cleo).toMatchObject({
    status: 'DONE',
    tasks: [{ tool: 'delegation__delegate', status: 'FAILED' }, { type: 'MSG' }],
  })
  expect(await delegatedBy(story.as('ada'), '@cleo:typed')).toEqual([])
})

test('a plan delegates a task: the child works as the same user, and its answer is the output', async () => {
  const ben = story.as('ben')
  const turn = await converse(ben, '@ben:plan', `${call('run: echo from the child')}\nWhat came of it?`)
  expect(turn.status).toBe('DONE')
  expect(turn.tasks).toMatchObject([
    { type: 'TOOL', tool: 'delegation__delegate', status: 'DONE', review: { verdict: 'OK' } },
    { type: 'MSG', status: 'DONE' },
  ])
  expect(turn.tasks[0]?.output).toContain('from the child')
  const [delegation] = await delegatedBy(ben, '@ben:plan')
  expect(delegation).toMatchObject({
    status: 'DONE',
    round: 1,
    depth: 1,
    budgetShare: 0.5,
    allowedTools: ['*'],
    session: { id: '@ben:plan' },
    child: { parent: { id: '@ben:plan' }, delegation: { id: delegation?.id } },
    parentTask: { delegation: { id: delegation?.id } },
  })
  const { session } = await ben.run(ChildrenDocument, { id: '@ben:plan' })
  expect(session?.children).toMatchObject([{ id: `delegation:${delegation?.id}`, status: 'IDLE' }])
  await using watch = watchAll(ben, '@ben:plan')
  await turnEnd(watch)
  expect(eventsOf(watch, 'DelegationEvent').length).toBeGreaterThanOrEqual(3)
  expect(eventsOf(watch, 'TurnPausedEvent')).toHaveLength(1)
})

test('what a child uses is used of the budget of the session that delegated', async () => {
  const ada = story.as('ada')
  const parent = '@ada:spender'
  await converse(ada, parent, call('run: echo from the child'))
  const ofIt = `SELECT input_tokens + output_tokens AS used, last_seq AS seq FROM sessions WHERE id = '${parent}'`
  const [own] = await select(story, ofIt)
  const budgetOf = (most: number): string => `${configWith()}[budgets]\nsession_tokens_per_day = ${most}\n`
  await using _little = await story.reconfigureForNow(budgetOf(Number(own?.['used']) + 1))
  await send(ada, parent, 'hello')
  await using watch = watchAll(ada, parent, Number(own?.['seq']))
  const { sessionEvents: paused } = await watch.until(({ sessionEvents: { __typename: type } }) =>
    ['TurnPausedEvent', 'TurnCompletedEvent'].includes(type),
  )
  expect(paused).toMatchObject({
    __typename: 'TurnPausedEvent',
    pausedReason: expect.stringContaining('The budget of this session') as string,
  })
  const calls = `SELECT model_calls AS calls FROM turns WHERE id = '${paused.turnId}'`
  expect(await select(story, calls)).toEqual([{ calls: 0 }])
  await story.reconfigure(budgetOf(1_000_000))
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
})

/** As the rehearsal model, but that the delegated task is content with what `judge` says. */
function rehearsing(judge: (round: number) => object): (call: StubCall) => StubAnswer {
  let round = 0
  return (call) => {
    if (call.role === 'planner') return answerRehearsal(call.user, 'plan').text
    if (call.role === 'messenger') return answerRehearsal(call.user, null).text
    if (call.role === 'reviewer' && call.user.includes('Expected:') && call.user.includes('In one word.'))
      return { content: judge((round += 1)) }
    return answerWell(call)
  }
}

const notYet = { status: 'replan', reason: 'It has more than one word.', learn: null }
const content = { status: 'ok', reason: null, learn: null }

test('an answer that does not do goes back with what the review says, up to five times', async () => {
  const { stub, story: place } = stubbed
  stub.follow({ by: rehearsing((round) => (round < 3 ? notYet : content)) })
  const ada = place.as('ada')
  const turn = await converse(ada, 'cli:rounds', call('What is it?', { expect: 'In one word.' }))
  expect(turn.tasks[0]).toMatchObject({ type: 'TOOL', status: 'DONE' })
  expect(turn.tasks[0]?.output).toContain('It has more than one word.')
  const [done] = await delegatedBy(ada, 'cli:rounds')
  expect(done).toMatchObject({ status: 'DONE', round: 3 })

  stub.follow({ by: rehearsing(() => notYet) })
  await converse(ada, 'cli:in-vain', call('What is it?', { expect: 'In one word.' }))
  const [failed] = await delegatedBy(ada, 'cli:in-vain')
  expect(failed).toMatchObject({ status: 'FAILED', round: 5, feedback: 'It has more than one word.' })
  expect(failed?.failure).toMatch(/5 rounds.*more than one word/)
})

test('a round that goes back is sent at once, whenever the next poll is', async () => {
  const config = { toml: stubProvider(stubbed.stub) }
  await using place = await Story.begin({ config, timing: { delegationPollMs: 3_600_000 } })
  stubbed.stub.follow({ by: rehearsing((round) => (round < 2 ? notYet : content)) })
  const ada = place.as('ada')
  await converse(ada, 'cli:at-once', call('What is it?', { expect: 'In one word.' }))
  expect(await delegatedBy(ada, 'cli:at-once')).toMatchObject([{ status: 'DONE', round: 2 }])
})

test('a round that joins what its user says in the session of the child is answered with that', async () => {
  const judged = Promise.withResolvers<ServerResponse>()
  const rehearsed = rehearsing(() => content)
  let isFirst = true
  const by = (asked: StubCall): StubAnswer => {
    if (asked.role !== 'reviewer' || !asked.user.includes('In one word.') || !isFirst) return rehearsed(asked)
    isFirst = false
    return judged.resolve
  }
  const { stub, story: place } = stubbed
  stub.follow({ by })
  const ada = place.as('ada')
  const ending = converse(ada, 'cli:joined', call('What is it?', { expect: 'In one word.' }))
  const response = await judged.promise
  const [delegation] = await delegatedBy(ada, 'cli:joined')
  const id = delegation?.child?.id ?? ''
  await ada.run(SetBusyPolicyDocument, { id, busyPolicy: 'COLLECT' })
  const gate = place.path('gate')
  await send(ada, id, `run: until [ -e ${gate} ]; do sleep 0.02; done`)
  // What comes before its turn begins would be taken along with it.
  await expect.poll(() => queueOf(ada, id)).toMatchObject({ status: 'RUNNING', queueLength: 0 })
  await send(ada, id, 'Say it twice.')
  answerWhole({ content: notYet }, response)
  await expect.poll(async () => (await queueOf(ada, id)).queueLength).toBe(2)
  await writeFile(gate, '')
  const { tasks } = await ending
  expect(tasks[0]).toMatchObject({ type: 'TOOL', status: 'DONE', output: expect.stringContaining('Say it twice.') })
})

test('a child delegates once more, and no further', async () => {
  const ben = story.as('ben')
  const turn = await converse(ben, '@ben:deep', call(call(call('run: echo deepest'))))
  expect(turn.status).toBe('DONE')
  expect(turn.tasks[0]?.output).toContain('not among those that may be called here')
  const [first] = await delegatedBy(ben, '@ben:deep')
  const [second] = await delegatedBy(ben, first?.child?.id ?? '')
  expect([first, second]).toMatchObject([
    { depth: 1, budgetShare: 0.5 },
    { depth: 2, budgetShare: 0.25 },
  ])
  expect(await delegatedBy(ben, second?.child?.id ?? '')).toEqual([])
})

test('where one turn runs at a time, a turn that waits for its child lets it run', async () => {
  await using _settings = await story.reconfigureForNow(configWith({ max_concurrent_turns: 1 }))
  const turn = await converse(story.as('ada'), 'cli:alone', call(call('run: echo deepest')))
  expect(turn).toMatchObject({ status: 'DONE', tasks: [{ tool: 'delegation__delegate', status: 'DONE' }, {}] })
  expect(turn.tasks[0]?.output).toContain('deepest')
})

test('a child may call no more than it was given, nor give more', async () => {
  const ben = story.as('ben')
  const none = await converse(ben, '@ben:none', call('run: echo forbidden', { tools: [] }))
  expect(none.tasks[0]?.output).toContain('may not be called for this delegated task')
  await ben.run(OpenSessionDocument, { input: { id: '@ben:more', mode: 'CHAT' } })
  const wider = call(call('run: echo forbidden', { tools: ['exec'] }), { tools: ['delegation__*'] })
  const more = await converse(ben, '@ben:more', wider)
  expect(more.tasks[0]?.output).toContain('"exec" is more than may be called here')
  const barred = await converse(story.as('cleo'), '@cleo:barred', call('Anything'))
  expect(barred.answers.join('\n')).toContain('not among those that may be called here')
  expect(await delegatedBy(story.as('cleo'), '@ben:more')).toEqual([])
  const [delegation] = await delegatedBy(ben, '@ben:more')
  const { session } = await story.as('cleo').run(ChildrenDocument, { id: delegation?.child?.id ?? '' })
  expect(session).toBeNull()
})

test('who follows the session that delegated is shown what a child asks for, however deep, until it is decided', async () => {
  const rules = approvalRules('effect = "require"\ncommand = "tee"')
  await using _asking = await story.reconfigureForNow(`${configWith()}${rules}`)
  const ada = story.as('ada')
  await using watch = watchAll(ada, 'cli:asking')
  const ending = converse(ada, 'cli:asking', call(call('run: echo deepest | tee out.txt')))
  const asks =
    /^It waits for the sessions that task 1 was delegated to\. A decision is waited for there: (appr_\w{26})\.$/
  await watch.until(
    ({ sessionEvents: event }) => event.__typename === 'TurnPausedEvent' && asks.test(event.pausedReason),
  )
  const pausedReason = eventsOf(watch, 'TurnPausedEvent').at(-1)?.pausedReason ?? ''
  const [, id = ''] = asks.exec(pausedReason) ?? []
  const [first] = await delegatedBy(ada, 'cli:asking')
  const belowIn = async (sessionId: string): Promise<unknown> =>
    (await ada.run(AskedBelowDocument, { id: sessionId })).session
  expect(await belowIn('cli:asking')).toEqual({ activeTurn: { pausedReason }, approvals: [], below: [{ id }] })
  await ada.run(AddParticipantDocument, { sessionId: 'cli:asking', user: 'cleo' })
  const { session } = await story.as('cleo').run(AskedBelowDocument, { id: 'cli:asking' })
  expect(session).toEqual({ activeTurn: { pausedReason }, approvals: [], below: [] })
  expect(await belowIn(first?.child?.id ?? '')).toMatchObject({ approvals: [], below: [{ id }] })
  expect(await decide(ada, { id, approve: true })).toMatchObject({ __typename: 'DecideApprovalPayload' })
  expect((await ending).tasks[0]?.output).toContain('deepest')
  expect(await belowIn('cli:asking')).toMatchObject({ approvals: [], below: [] })
})

test('cancelling the turn goes down to what the child runs', async () => {
  await using lifeline = await Lifeline.open()
  const ada = story.as('ada')
  await send(ada, 'cli:cancel', call(call(`run: ${lifeline.hold}; sleep 600`)))
  await lifeline.held
  await ada.run(CancelTurnDocument, { sessionId: 'cli:cancel' })
  await lifeline.released
  await using watch = watchAll(ada, 'cli:cancel')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'CANCELLED' })
  const [first] = await delegatedBy(ada, 'cli:cancel')
  await using below = watchAll(ada, first?.child?.id ?? '')
  expect(await turnEnd(below)).toMatchObject({ turnStatus: 'CANCELLED' })
  const [second] = await delegatedBy(ada, first?.child?.id ?? '')
  expect([first?.status, second?.status]).toEqual(['CANCELLED', 'CANCELLED'])
})

test('a child that still waits for its turn when the turn that delegated is cancelled does nothing', async () => {
  await using _settings = await story.reconfigureForNow(configWith({ max_running_per_user: 1 }))
  const ada = story.as('ada')
  const [first, second] = [story.path('first'), story.path('second')]
  const until = (gate: string): string => `run: until [ -e ${gate} ]; do sleep 0.02; done`
  await send(ada, 'cli:holds-first', until(first))
  await expect.poll(() => queueOf(ada, 'cli:holds-first')).toMatchObject({ status: 'RUNNING', queueLength: 0 })
  await send(ada, 'cli:given-up', call('run: echo done'))
  await send(ada, 'cli:holds-second', until(second))
  await writeFile(first, '')
  await expect.poll(async () => (await delegatedBy(ada, 'cli:given-up'))[0]?.child?.id).toBeDefined()
  const [delegation] = await delegatedBy(ada, 'cli:given-up')
  const child = delegation?.child?.id ?? ''
  expect(await queueOf(ada, child)).toMatchObject({ queueLength: 1 })
  await ada.run(CancelTurnDocument, { sessionId: 'cli:given-up' })
  await expect.poll(() => queueOf(ada, child)).toMatchObject({ status: 'IDLE', queueLength: 0 })
  await writeFile(second, '')
  await using below = watchAll(ada, child)
  expect(await turnEnd(below)).toMatchObject({ turnStatus: 'CANCELLED' })
  expect(eventsOf(below, 'PlanCreatedEvent')).toEqual([])
})

test('a child that takes too long is given up, and ends', async () => {
  await using _settings = await story.reconfigureForNow(configWith({ delegation_timeout: 600 }))
  await using lifeline = await Lifeline.open()
  const ada = story.as('ada')
  const ending = converse(ada, 'cli:late', call(`run: ${lifeline.hold}; sleep 600`))
  await lifeline.held
  const ofIt = `WHERE session_id = 'cli:late'`
  const limit = `SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM delegations ${ofIt}`
  expect(await select(story, limit)).toEqual([{ seconds: 600 }])
  await select(story, `UPDATE delegations SET expires_at = now() ${ofIt}`)
  const turn = await ending
  await lifeline.released
  expect(turn.tasks[0]).toMatchObject({ status: 'FAILED', stderr: expect.stringMatching(/delegation_timeout/) })
  expect(await delegatedBy(ada, 'cli:late')).toMatchObject([{ status: 'FAILED' }])
})

/** A conversation that delegates two tasks at once: one is answered, two goes on until it is cancelled. */
function delegatingTwo(review: (response: ServerResponse) => void): (call: StubCall) => StubAnswer {
  const toolCall = (index: number, task: string): object => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'delegation__delegate', arguments: JSON.stringify({ task, expect: 'An answer.' }) },
  })
  return (asked) => {
    if (asked.role === 'reviewer' && asked.user.includes('Expected:')) return review
    const newest = asked.body.messages?.at(-1)
    if (newest?.role === 'tool') return 'Both have ended.'
    if (newest?.content.includes('task one')) return 'An answer.'
    if (newest?.content.includes('task two')) return () => {}
    if (newest?.content.includes('Both, please.') !== true) return answerWell(asked)
    return { toolCalls: [toolCall(0, 'task one'), toolCall(1, 'task two')], finishReason: 'tool_calls' }
  }
}

test('one that fails while another is judged does not keep the turn waiting', async () => {
  const judged = Promise.withResolvers<ServerResponse>()
  stubbed.stub.follow({ by: delegatingTwo(judged.resolve) })
  const ada = stubbed.story.as('ada')
  await ada.run(OpenSessionDocument, { input: { id: 'cli:two', mode: 'CHAT' } })
  await send(ada, 'cli:two', 'Both, please.')
  const response = await judged.promise
  const [, two] = await delegatedBy(ada, 'cli:two')
  await ada.run(CancelTurnDocument, { sessionId: two?.child?.id ?? '' })
  await expect.poll(async () => (await delegatedBy(ada, 'cli:two'))[1]?.status).toBe('FAILED')
  answerWhole({ content }, response)
  await using watch = watchAll(ada, 'cli:two')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(await delegatedBy(ada, 'cli:two')).toMatchObject([{ status: 'DONE' }, { status: 'FAILED' }])
})

test('a deleted child fails nothing that is done; a child outlives its parent, and may then call nothing', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:gone', call('run: echo one'))
  await converse(ben, '@ben:kept', call('run: echo two'))
  const [one] = await delegatedBy(ben, '@ben:gone')
  const [two] = await delegatedBy(ben, '@ben:kept')
  await ben.run(DeleteSessionDocument, { id: one?.child?.id ?? '' })
  expect(await delegatedBy(ben, '@ben:gone')).toMatchObject([{ status: 'DONE', child: null }])
  await ben.run(DeleteSessionDocument, { id: '@ben:kept' })
  const orphan = two?.child?.id ?? ''
  const { session } = await ben.run(ChildrenDocument, { id: orphan })
  expect(session).toMatchObject({ parent: null, children: [] })
  const after = await converse(ben, orphan, 'run: echo three')
  expect(after.answers.join('\n')).toContain('may not be called for this delegated task')
})

test('three work side by side, the next one when there is a slot; twenty a day and user', async () => {
  const dora = new ApiClient(story.app.url, 'dora-token-for-the-story')
  await dora.run(OpenSessionDocument, { input: { id: 'cli:many', mode: 'CHAT' } })
  const calls = Array.from({ length: 21 }, (_, index) => call(`run: echo number-${index}`))
  const turn = await converse(dora, 'cli:many', calls.join('\n'))
  expect(turn.status).toBe('DONE')
  const delegated = await delegatedBy(dora, 'cli:many')
  expect(delegated.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 'DONE'), 'FAILED'])
  expect(delegated.at(-1)?.failure).toMatch(/20 tasks in the last 24 hours/)
  const times = (of: Delegated): [number, number] => [Date.parse(of.createdAt), Date.parse(of.finishedAt ?? '')]
  for (const one of delegated) {
    const [begun] = times(one)
    const open = delegated.filter((other) => times(other)[0] <= begun && times(other)[1] > begun)
    expect(open.length).toBeLessThanOrEqual(3)
  }
  await using watch = watchAll(dora, 'cli:many')
  await turnEnd(watch)
  const outputs = turn.tasks.filter(({ type }) => type === 'TOOL').map(({ output }) => output ?? '')
  expect(outputs.slice(0, 20).every((output, index) => output.includes(`number-${index}`))).toBe(true)
})

test('tasks that could not be delegated keep those of others from nothing, however many they are', async () => {
  const ben = story.as('ben')
  await converse(ben, '@ben:refused', call('run: echo refused'))
  const [one] = await delegatedBy(ben, '@ben:refused')
  const copies = (table: string, changed: string, from: string): string =>
    `INSERT INTO ${table} SELECT (jsonb_populate_record(row, jsonb_build_object(${changed}))).*
      FROM ${table} row, generate_series(1, 300) n WHERE ${from}`
  await select(
    story,
    copies(
      'tasks',
      `'id', 'task_' || n, 'index', n + 100`,
      `id = (SELECT task_id FROM delegations WHERE id = '${one?.id}')`,
    ),
  )
  // They are refused in this moment, and stay so, and each stands before all others.
  const refused = `'status', 'FAILED', 'message_id', 'none', 'child_id', null, 'closed', false`
  const ofIt = `'id', '0' || n, 'task_id', 'task_' || n, 'finished_at', now() + interval '1 hour', ${refused}`
  await select(story, copies('delegations', ofIt, `id = '${one?.id}'`))
  const turn = await converse(story.as('ada'), 'cli:beside', call('run: echo from the child'))
  expect(turn.tasks[0]?.output).toContain('from the child')
})
