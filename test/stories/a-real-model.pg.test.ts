/**
 * A configured provider over HTTP: what it is asked, what becomes of its failures, and how it is changed without a
 * restart.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { converse, eventsOf, send, Story, storyConfig, turnEnd, watchAll, type Conversation } from '../harness/story.ts'
import { stubProvider } from '../harness/stub-provider.ts'
import { answerWell, GOOD_PLAN, GOOD_REVIEW } from '../model/good-answers.ts'
import { chunk, sse, StubEndpoint, type StubAnswer } from '../model/stub-endpoint.ts'
import { MessageOutputsDocument, ServerDocument, SessionDocument } from '../generated/graphql.ts'

const KEY = 'sk-of-the-environment'

/** Every agent has a model of its own, and the provider wants a key. */
function providerWithKey(stub: StubEndpoint): string {
  return stubProvider(stub).replace(
    '[models]',
    'api_key_env = "STUB_KEY"\n[models]\nreviewer = "stub:judge"\nmessenger = "stub:writer"',
  )
}

let stub: StubEndpoint
let story: Story
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  story = await Story.begin({ config: { toml: providerWithKey(stub) }, environment: { STUB_KEY: KEY } })
})
afterAll(async () => {
  await story[Symbol.asyncDispose]()
  await stub.close()
})

describe('a turn with a real model', () => {
  test('asks each agent its own model, with the key, and for strict JSON where it needs JSON', async () => {
    stub.follow({ by: answerWell })
    const before = stub.calls.length
    const turn = await converse(story.as('ada'), 'cli:asks', 'Say hi')
    expect(turn).toMatchObject({ status: 'DONE', answers: ['It printed hi.'] })
    const calls = stub.calls.slice(before)
    expect(calls.map(({ role, model }) => [role, model])).toEqual([
      ['planner', 'stub-1'],
      ['reviewer', 'judge'],
      ['messenger', 'writer'],
    ])
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(calls.map(() => `Bearer ${KEY}`))
    const [planner, reviewer, messenger] = calls.map(({ body }) => body)
    for (const body of [planner, reviewer]) {
      expect(body?.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
      expect(looseObjects(body?.response_format?.json_schema?.schema)).toEqual([])
    }
    expect(messenger).not.toHaveProperty('response_format')
    expect(messenger).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    const { server } = await story.as('ada').run(ServerDocument)
    expect(server).toMatchObject({
      rehearsal: false,
      models: ['stub-1', 'judge', 'writer', 'stub-1', 'stub-1', 'stub-1', 'stub-1', 'stub-1'].map((model) => ({
        model,
      })),
    })
  })

  test('shows the answer while it is being written', async () => {
    const goOn = Promise.withResolvers<void>()
    const slow: StubAnswer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('It printed'))
      void goOn.promise.then(() => response.end(`${piece(' hi.', 'stop')}data: [DONE]\n\n`))
    }
    stub.follow({ by: (call) => (call.role === 'messenger' ? slow : answerWell(call)) })
    const ada = story.as('ada')
    await send(ada, 'cli:streams', 'Say hi')
    await using watch = ada.watch(MessageOutputsDocument, { sessionId: 'cli:streams', after: 0 })
    // A word is shown when it is whole: "printed" may go on.
    await watch.until(
      ({ messageOutputs }) => messageOutputs.__typename === 'TextDeltaEvent' && messageOutputs.delta.startsWith('It'),
    )
    goOn.resolve()
    const whole = await watch.until(({ messageOutputs }) => messageOutputs.__typename === 'TextCompletedEvent')
    expect(whole.messageOutputs).toMatchObject({ content: 'It printed hi.', final: true })
  })

  test('uses the prompt that stands in FACTOTUM_HOME/roles instead of the built-in one, from the next call on', async () => {
    stub.follow({ by: answerWell })
    await mkdir(story.path('roles'), { recursive: true })
    await writeFile(story.path('roles', 'messenger.md'), 'You are a parrot.')
    await converse(story.as('ada'), 'cli:parrot', 'Say hi')
    expect(stub.calls.at(-1)?.system).toMatch(/^You are a parrot\.\n\n# Rules that always hold/)
    await rm(story.path('roles', 'messenger.md'))
    await converse(story.as('ada'), 'cli:parrot', 'Say hi')
    expect(stub.calls.at(-1)?.system).toMatch(/^# You are the messenger/)
  })
})

describe('a provider that is busy', () => {
  test('is asked again, not before it said', async () => {
    const times: number[] = []
    stub.follow({
      by: (call) => {
        if (call.role === 'planner') times.push(performance.now())
        return times.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : answerWell(call)
      },
    })
    const turn = await converse(story.as('ada'), 'cli:busy', 'Say hi')
    expect(turn).toMatchObject({ status: 'DONE', usage: { calls: 3 } })
    expect(times).toHaveLength(2)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  test('and asks for an hour is not waited for', async () => {
    stub.follow({ always: { status: 429, headers: { 'retry-after': '3600' } } })
    const turn = await converse(story.as('ada'), 'cli:hour', 'Say hi')
    expect(await endOf(turn)).toEqual(
      shownFailure(/^The planner could not make a plan\. Provider "stub" lets no more requests through/),
    )
  })
})

describe('when a model fails, the turn fails and the user is told what to change', () => {
  const refusal = (status: number, message: string, code: string): StubAnswer => ({
    status,
    body: { error: { message, code } },
  })
  test.each<[string, StubAnswer, RegExp]>([
    [
      'a wrong key',
      refusal(401, `Incorrect API key: ${KEY}`, 'invalid_api_key'),
      /does not accept the key in STUB_KEY/,
    ],
    ['an unknown model', refusal(404, 'No such model', 'model_not_found'), /no model "stub-1".*\[models\] planner/],
    [
      'no structured output',
      refusal(400, 'response_format is not supported', ''),
      /structured output.*\[models\] planner/,
    ],
    ['an answer that is cut off', { content: '{"goal"', finishReason: 'length' }, /output limit.*\[models\] planner/],
    [
      'a refusal',
      { content: '', refusal: 'I would rather not.' },
      /refused to answer: I would rather not\..*\[models\]/,
    ],
    ['an answer that is no plan', { content: 'Sure thing!' }, /no usable answer in 2 tries.*\[models\] planner/],
    ['used-up credit', refusal(402, 'Insufficient credits', ''), /credit or quota at provider "stub" is used up/],
  ])('%s', async (name, answer, failure) => {
    stub.follow({ always: answer })
    const turn = await converse(story.as('ada'), `cli:${name.replaceAll(' ', '-')}`, 'Say hi')
    expect(await endOf(turn)).toEqual(shownFailure(failure))
    expect(JSON.stringify(turn)).not.toContain(KEY)
  })

  test('an endpoint at which nobody listens', async () => {
    await story.reconfigure(storyConfig({ toml: stubProvider({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` }) }))
    const turn = await converse(story.as('ada'), 'cli:nobody', 'Say hi')
    await story.reconfigure(storyConfig({ toml: providerWithKey(stub) }))
    expect(await endOf(turn)).toEqual(
      shownFailure(/cannot be reached at http:.*refused\. Check base_url in \[providers\.stub\]/),
    )
  })

  test('an endpoint that falls silent', async () => {
    const silent: StubAnswer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('{"goal":"Say'))
    }
    stub.follow({ always: silent })
    await story.reconfigure(storyConfig({ toml: providerWithKey(stub), settings: { llm_idle_timeout: 0.2 } }))
    const turn = await converse(story.as('ada'), 'cli:silent', 'Say hi')
    await story.reconfigure(storyConfig({ toml: providerWithKey(stub) }))
    expect(await endOf(turn)).toEqual(shownFailure(/nothing came for 0\.2 s.*llm_idle_timeout in \[settings\]/))
  })

  test('a review that cannot be had: the command that ran is not run again, and the rest is cancelled', async () => {
    stub.follow({ by: (call) => (call.role === 'reviewer' ? refusal(404, 'No such model', '') : answerWell(call)) })
    const turn = await converse(story.as('ada'), 'cli:no-review', 'Say hi')
    expect(await endOf(turn)).toEqual(shownFailure(/^The review of task 1 failed\. .*\[models\] reviewer/))
    expect(turn.tasks).toMatchObject([{ status: 'DONE', output: 'hi\n', review: null }, { status: 'CANCELLED' }, {}])
  })

  test('an answer that breaks off: what had come stays visible as not final, and is not written twice', async () => {
    const breaks: StubAnswer = (response) => {
      const open = response.writeHead(200, { 'content-type': 'text/event-stream' })
      open.write(piece('It printed'), () => response.destroy())
    }
    stub.follow({ by: (call) => (call.role === 'messenger' ? breaks : answerWell(call)) })
    const before = stub.calls.length
    const turn = await converse(story.as('ada'), 'cli:breaks', 'Say hi')
    expect(await endOf(turn)).toEqual(shownFailure(/^The messenger could not write the answer\. /))
    expect(turn.tasks[1]).toMatchObject({ status: 'FAILED', output: 'It printed', final: false })
    expect(stub.calls.slice(before).filter(({ role }) => role === 'messenger')).toHaveLength(1)
  })
})

describe('another provider in the file', () => {
  test('answers from the next call on, also in a turn that runs; without a provider the rehearsal model does', async () => {
    await using other = await StubEndpoint.start({ list: [{ content: GOOD_REVIEW }, 'Said by the other.'] })
    const gate = story.path('gate')
    const command = { ...GOOD_PLAN.tasks[0], detail: `until [ -e ${gate} ]; do sleep 0.02; done` }
    stub.follow({ list: [{ content: { ...GOOD_PLAN, tasks: [command, GOOD_PLAN.tasks[1]] } }] })
    await send(story.as('ada'), 'cli:switch', 'Say hi')
    await using watch = watchAll(story.as('ada'), 'cli:switch')
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskUpdateEvent')
    await story.reconfigure(storyConfig({ toml: stubProvider(other, 'other') }))
    await writeFile(gate, '')
    expect((await turnEnd(watch)).turnStatus).toBe('DONE')
    expect(eventsOf(watch, 'TextCompletedEvent').at(-1)?.content).toBe('Said by the other.')
    expect(stub.calls.at(-1)?.role).toBe('planner')
    expect(other.calls.map(({ role, model }) => [role, model])).toEqual([
      ['reviewer', 'other-1'],
      ['messenger', 'other-1'],
    ])

    await story.reconfigure(storyConfig())
    expect((await story.as('ada').run(ServerDocument)).server).toMatchObject({ rehearsal: true })
    const rehearsed = await converse(story.as('ada'), 'cli:switch', 'run: echo rehearsed')
    expect(rehearsed).toMatchObject({ status: 'DONE' })
    expect(rehearsed.answers[0]).toContain('no language model')
  })

  test('whose key is missing is not asked; written into .env the key is used at once', async () => {
    const toml = providerWithKey(stub).replace('STUB_KEY', 'OTHER_KEY')
    await story.reconfigure(storyConfig({ toml }))
    stub.follow({ list: [] })
    const turn = await converse(story.as('ada'), 'cli:key', 'Say hi')
    expect(await endOf(turn)).toEqual(
      shownFailure(/The key of provider "stub" is missing: set the environment variable OTHER_KEY, or.*\.env/),
    )
    const ready = (await (await askOperators(story.app.url, '/ready')).json()) as {
      ready: boolean
      checks: { model: unknown }
    }
    expect(ready).toMatchObject({
      ready: true,
      checks: { model: { ok: false, detail: expect.stringContaining('OTHER_KEY') } },
    })

    await writeFile(story.path('.env'), 'OTHER_KEY=sk-of-the-file\n', { mode: 0o600 })
    stub.follow({ by: answerWell })
    expect((await converse(story.as('ada'), 'cli:key', 'Say hi')).status).toBe('DONE')
    expect(stub.calls.at(-1)?.headers.authorization).toBe('Bearer sk-of-the-file')
  })
})

/** How a turn ended: why, what the user was told, and what became of the message and the session. */
async function endOf(turn: Conversation) {
  const { status, step, failure, message, answers } = turn
  const { session } = await story.as('ada').run(SessionDocument, { id: turn.session.id })
  const { queueLength, activeTurn } = session ?? {}
  return { status, step, failure, message: message.status, answers, session: session?.status, queueLength, activeTurn }
}

/** The turn failed for this reason, the user was told so, and the session can go on. */
/** What people are told besides admins: where they can be asked for more. */
const SHOWN = expect.stringMatching(/^The .*language model .* \(reference turn_\w+\)\.$/) as string

function shownFailure(reason: RegExp) {
  const failure = expect.stringMatching(reason)
  const turn = { status: 'FAILED', step: 'COMPLETE', failure, message: 'FAILED', answers: [SHOWN] }
  return { ...turn, session: 'IDLE', queueLength: 0, activeTurn: null }
}

function piece(content: string, finishReason: string | null = null): string {
  return sse(chunk([{ index: 0, delta: { content }, finish_reason: finishReason }]))
}

/** The objects in a JSON schema that allow keys they do not name, or do not require one that they name. */
function looseObjects(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, required, additionalProperties } = schema as Readonly<Record<string, unknown>>
  const names = Object.keys((properties as object | undefined) ?? {})
  const isLoose =
    type === 'object' &&
    !(additionalProperties === false && names.every((name) => (required as string[]).includes(name)))
  return [...(isLoose ? [schema] : []), ...Object.values(schema).flatMap(looseObjects)]
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
