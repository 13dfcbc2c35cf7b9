/**
 * Planner, reviewer and messenger against a stub of a provider: what they ask, what they make of the answer, what is
 * recorded.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MESSENGER_CONTEXT, openAgentsWorld, PLANNER_CONTEXT, REVIEWER_CONTEXT } from './agents-world.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW } from './good-answers.ts'
import { StubEndpoint } from './stub-endpoint.ts'

const { signal } = new AbortController()

describe('the planner', () => {
  test('asks with a strict schema and returns the plan', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const answer = await world.agents.plan(PLANNER_CONTEXT, [], signal)
    expect(answer).toMatchObject({
      kind: 'answered',
      output: {
        goal: 'Say hi',
        tasks: [
          { type: 'EXEC', detail: 'echo hi', expect: 'it prints hi' },
          { type: 'MSG', detail: 'Say what the command printed.', expect: null },
        ],
      },
    })
    expect(stub.calls[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'plan', strict: true },
    })
    expect(stub.calls[0]?.system).toContain('# You are the planner')
    expect(stub.calls[0]?.user).toContain('Say hi.')
  })

  test('is asked once more when its answer is no plan, and told why', async () => {
    await using stub = await StubEndpoint.start({ list: ['Sure!', { content: GOOD_PLAN }] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const answer = await world.agents.plan(PLANNER_CONTEXT, [], signal)
    expect(answer.kind).toBe('answered')
    expect(answer.calls.map((call) => call.status)).toEqual(['OK', 'OK'])
    expect(stub.calls[1]?.user).toContain('# Your last answer could not be used')
    expect(stub.calls[1]?.user).toContain('The answer contains no JSON object.')
  })

  test('is asked once more when its answer was cut off, and told to be brief', async () => {
    await using stub = await StubEndpoint.start({
      list: [{ content: '{"goal', finishReason: 'length' }, { content: GOOD_PLAN }],
    })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const answer = await world.agents.plan(PLANNER_CONTEXT, [], signal)
    expect(answer.kind).toBe('answered')
    expect(answer.calls.map(({ status, inputTokens }) => [status, inputTokens])).toEqual([
      ['MODEL_TRUNCATED', 100],
      ['OK', 100],
    ])
    expect(stub.calls[1]?.user).toContain('Answer more briefly.')
  })

  test('is given the problems of its refused plan', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const task = { type: 'EXEC' as const, detail: 'true', skill: null, args: null, expect: null }
    const plan = { goal: 'x', tasks: [task], secrets: [], answers: [], factsUsed: [] }
    await world.agents.plan(PLANNER_CONTEXT, [{ plan, problems: ['Task 1 (exec) has no expect.'] }], signal)
    expect(stub.calls[0]?.user).toContain('- Task 1 (exec) has no expect.')
  })

  test('has a new fence in every call', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    await world.agents.plan(PLANNER_CONTEXT, [], signal)
    await world.agents.plan(PLANNER_CONTEXT, [], signal)
    const tokens = stub.calls.map((call) => /<<<MESSAGE_([0-9a-f]{32})>>>/.exec(call.user)?.[1])
    expect(new Set(tokens).size).toBe(2)
  })

  test('fails, without a call, when its own prompt in roles/ cannot be used', async () => {
    await using stub = await StubEndpoint.start({ list: [] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    await mkdir(join(world.home, 'roles'))
    await writeFile(join(world.home, 'roles', 'planner.md'), '')
    const answer = await world.agents.plan(PLANNER_CONTEXT, [], signal)
    expect(answer).toMatchObject({ kind: 'failed', error: { code: 'CONFIG_INVALID' }, calls: [] })
  })
})

describe('the reviewer', () => {
  test.each([
    [GOOD_REVIEW, { verdict: 'OK', reason: null }],
    [
      { status: 'ok', reason: '' },
      { verdict: 'OK', reason: null },
    ],
    [
      { status: 'replan', reason: ' No such file. ' },
      { verdict: 'REPLAN', reason: 'No such file.' },
    ],
  ])('answers %o', async (content, output) => {
    await using stub = await StubEndpoint.start({ list: [{ content }] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    expect(await world.agents.review(REVIEWER_CONTEXT, signal)).toMatchObject({ kind: 'answered', output })
  })

  test('is asked for a missing reason as often as max_validation_retries says', async () => {
    const content = { status: 'replan', reason: '  ' }
    await using stub = await StubEndpoint.start({ always: { content } })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, settings: { maxValidationRetries: 2 } })
    const answer = await world.agents.review(REVIEWER_CONTEXT, signal)
    expect(answer).toMatchObject({ kind: 'failed', error: { code: 'MODEL_BAD_OUTPUT' } })
    expect(answer.calls).toHaveLength(3)
    expect(stub.calls[2]?.user).toContain('the reason is missing')
  })
})

describe('the messenger', () => {
  test('streams its text and returns the whole', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const pieces: string[] = []
    const answer = await world.agents.write(MESSENGER_CONTEXT, (piece) => pieces.push(piece), signal)
    expect(answer).toMatchObject({ kind: 'answered', output: { text: 'It printed hi.', factsUsed: [] } })
    expect(pieces).toEqual(['It ', 'printed ', 'hi.'])
    expect(stub.calls[0]?.body.response_format).toBeUndefined()
  })

  test('names the facts that it relies on at the end of its text; nobody reads that', async () => {
    const content = 'It is on 8080.\n\n<FACTS F2, F2 F9>\n'
    await using stub = await StubEndpoint.start({ list: [{ content }] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const facts = ['one', 'two'].map((name) => ({ id: `fact_${name}`, content: `It is ${name}.` }))
    const pieces: string[] = []
    const answer = await world.agents.write({ ...MESSENGER_CONTEXT, facts }, (piece) => pieces.push(piece), signal)
    expect(answer).toMatchObject({ kind: 'answered', output: { text: 'It is on 8080.', factsUsed: ['fact_two'] } })
    expect(pieces.join('')).toBe('It is on 8080.')
    expect(stub.calls[0]?.user).toContain('F2: It is two.')
  })

  test('is not asked again once it has begun to speak', async () => {
    await using stub = await StubEndpoint.start({ list: [{ content: 'It pri', finishReason: null }] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const answer = await world.agents.write(MESSENGER_CONTEXT, () => {}, signal)
    expect(answer).toMatchObject({ kind: 'failed', error: { code: 'MODEL_UNREACHABLE' } })
    expect(answer.calls).toHaveLength(1)
  })
})

describe('every call is recorded', () => {
  test('with tokens, cost, duration and time', async () => {
    await using stub = await StubEndpoint.start({ by: answerWell })
    const prices = { 'stub:stub-1': { input: 10, output: 100, cached: 1 } }
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, prices })
    const { calls } = await world.agents.review(REVIEWER_CONTEXT, signal)
    expect(calls).toEqual([
      {
        role: 'reviewer',
        provider: 'stub',
        model: 'stub-1',
        status: 'OK',
        inputTokens: 100,
        outputTokens: 20,
        cachedTokens: 40,
        cost: (60 * 10 + 40 * 1 + 20 * 100) / 1_000_000,
        durationMs: expect.any(Number),
        at: expect.any(Date),
        texts: {
          system: expect.stringContaining('# You are the reviewer'),
          sharedSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          prompt: expect.stringContaining('# The task to judge'),
          answer: expect.stringContaining('"status"'),
        },
      },
    ])
    expect(Number.isInteger(calls[0]?.durationMs)).toBe(true)
  })

  test('also when it failed', async () => {
    await using stub = await StubEndpoint.start({ list: [{ status: 401 }] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const { calls } = await world.agents.plan(PLANNER_CONTEXT, [], signal)
    expect(calls).toMatchObject([{ status: 'MODEL_UNAUTHORIZED', inputTokens: 0, cost: null }])
  })

  test('also when it was cancelled', async () => {
    const abort = new AbortController()
    await using stub = await StubEndpoint.start({ list: [() => abort.abort('CANCELLED')] })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const answer = await world.agents.plan(PLANNER_CONTEXT, [], abort.signal)
    expect(answer).toMatchObject({ kind: 'failed', error: { code: 'CANCELLED' }, calls: [{ status: 'CANCELLED' }] })
  })
})

test('the model of a role is the one configured now', async () => {
  await using world = await openAgentsWorld({ baseUrl: 'http://localhost/v1' })
  expect(world.agents.modelOf('reviewer')).toEqual({ provider: 'stub', model: 'stub-1' })
  const { models } = world.config.config
  world.config.config = {
    ...world.config.config,
    models: { ...models, reviewer: { provider: 'stub', model: 'stub-2' } },
  }
  expect(world.agents.modelOf('reviewer')).toEqual({ provider: 'stub', model: 'stub-2' })
})

test('a bug in the receiver of the text is a bug, not an answer', async () => {
  await using stub = await StubEndpoint.start({ by: answerWell })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  const broken = (): void => {
    throw new TypeError('not my day')
  }
  await expect(world.agents.write(MESSENGER_CONTEXT, broken, signal)).rejects.toThrow('not my day')
})
