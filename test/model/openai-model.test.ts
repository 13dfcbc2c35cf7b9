import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../src/core/errors.ts'
import type { ModelRequest } from '../../src/model/language-model.ts'
import { USUAL_REQUEST } from '../../src/model/wire/request-shape.ts'
import { MESSENGER_CONTEXT, openAgentsWorld, type AgentsWorldOptions } from './agents-world.ts'
import { handClock } from './hand-clock.ts'
import { chunk, sse, StubEndpoint, type StubScript } from './stub-endpoint.ts'

const SCHEMA = { name: 'plan', json: { type: 'object', properties: {}, required: [], additionalProperties: false } }

interface Try {
  readonly script: StubScript
  readonly request?: Partial<ModelRequest>
  readonly world?: Omit<AgentsWorldOptions, 'baseUrl'>
}

/** One call of a model behind a stub, and all there is to see of it. */
async function callModel({ script, request, world: options }: Try) {
  await using stub = await StubEndpoint.start(script)
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, ...options })
  const outcome = await world.model
    .complete({
      role: 'planner',
      provider: 'stub',
      model: 'stub-1',
      system: 'You plan.',
      user: 'Plan this.',
      schema: null,
      onText: null,
      idleTimeoutMs: 5000,
      signal: new AbortController().signal,
      ...request,
    })
    .then(
      (answer) => ({ answer, error: null }),
      (error: unknown) => ({ answer: null, error: error as AppError }),
    )
  return { ...outcome, calls: stub.calls, waitsMs: world.waitsMs, baseUrl: stub.baseUrl }
}

describe('a completion', () => {
  test.each(['streamed', 'whole'])('%s counts as output what a provider counts in the total alone', async (how) => {
    const usage = { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }
    const { answer } = await callModel({ script: { list: [{ content: 'Hi.', usage, whole: how === 'whole' }] } })
    expect(answer).toMatchObject({ inputTokens: 20, outputTokens: 603 })
  })

  test('sends the prompt, the model and the key, and returns text and tokens', async () => {
    const { answer, calls } = await callModel({
      script: { always: 'Hi.' },
      world: { apiKeyEnv: 'STUB_KEY', keys: { STUB_KEY: 'sk-test' } },
    })
    expect(answer).toEqual({ text: 'Hi.', inputTokens: 100, outputTokens: 20, cachedTokens: 40 })
    expect(calls).toHaveLength(1)
    expect(calls[0]?.headers.authorization).toBe('Bearer sk-test')
    expect(calls[0]?.body).toEqual({
      model: 'stub-1',
      messages: [
        { role: 'system', content: 'You plan.' },
        { role: 'user', content: 'Plan this.' },
      ],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('asks for a strict JSON schema when there is one', async () => {
    const { calls } = await callModel({ script: { always: '{}' }, request: { schema: SCHEMA } })
    expect(calls[0]?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'plan', strict: true, schema: SCHEMA.json },
    })
  })

  test('hands on each piece as it comes; the pieces are the text', async () => {
    const pieces: string[] = []
    const { answer } = await callModel({
      script: { always: { pieces: ['Grü', 'ezi ', 'mitenand'] } },
      request: { onText: (piece) => pieces.push(piece) },
    })
    expect(pieces).toEqual(['Grü', 'ezi ', 'mitenand'])
    expect(answer?.text).toBe('Grüezi mitenand')
  })

  test('keeps a character together whose halves come in two pieces, and replaces one whose half never comes', async () => {
    const pieces: string[] = []
    const { answer } = await callModel({
      script: { always: { pieces: ['a\uD83D', '\uDE00b', '\uD83D', '\0'] } },
      request: { onText: (piece) => pieces.push(piece) },
    })
    expect(pieces).toEqual(['a', '😀b', '\uFFFD\uFFFD'])
    expect(answer?.text).toBe('a😀b\uFFFD\uFFFD')
  })

  test('understands a server that answers with one document', async () => {
    const pieces: string[] = []
    const { answer } = await callModel({
      script: { always: { content: 'Hi.', whole: true } },
      request: { onText: (piece) => pieces.push(piece) },
    })
    expect(answer).toMatchObject({ text: 'Hi.', inputTokens: 100 })
    expect(pieces).toEqual(['Hi.'])
  })

  test('keeps its connection for the next call', async () => {
    await using stub = await StubEndpoint.start({ always: 'Hi.' })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const request: ModelRequest = {
      role: 'messenger',
      provider: 'stub',
      model: 'stub-1',
      system: '',
      user: '',
      schema: null,
      onText: () => {},
      idleTimeoutMs: 5000,
      signal: new AbortController().signal,
    }
    for (let call = 0; call < 5; call++) await world.model.complete(request)
    expect(await stub.connectionCount()).toBe(1)
  })

  test('takes a new connection, and no new try, when the kept one has just been closed', async () => {
    await using stub = await StubEndpoint.start({
      by: ({ index }) => (index === 1 ? (response) => response.destroy() : 'Hi.'),
    })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const { signal } = new AbortController()
    const ask = () => world.agents.write(MESSENGER_CONTEXT, () => {}, signal)
    expect((await ask()).kind).toBe('answered')
    expect((await ask()).kind).toBe('answered')
    expect(stub.calls).toHaveLength(3)
    expect(world.waitsMs).toEqual([])
  })

  test('goes through a proxy when the environment names one', async () => {
    await using proxy = await StubEndpoint.start({ always: 'Hi from afar.' })
    const proxyEnv = { HTTP_PROXY: new URL(proxy.baseUrl).origin }
    await using world = await openAgentsWorld({ baseUrl: 'http://models.invalid/v1', proxyEnv })
    const answer = await world.agents.write(MESSENGER_CONTEXT, () => {}, new AbortController().signal)
    expect(answer).toMatchObject({ kind: 'answered', output: { text: 'Hi from afar.' } })
    expect(proxy.calls[0]?.headers.host).toBe('models.invalid')
  })

  test('passes on what the receiver of the text throws', async () => {
    const { error, calls } = await callModel({
      script: { always: 'Hi.' },
      request: {
        onText: () => {
          throw new RangeError('no room')
        },
      },
    })
    expect(error).toBeInstanceOf(RangeError)
    expect(calls).toHaveLength(1)
  })

  test('reads provider and key anew at each call', async () => {
    await using first = await StubEndpoint.start({ always: 'first' })
    await using second = await StubEndpoint.start({ always: 'second' })
    await using world = await openAgentsWorld({ baseUrl: first.baseUrl })
    const signal = new AbortController().signal
    const ask = {
      role: 'planner',
      provider: 'stub',
      model: 'm',
      system: '',
      user: '',
      schema: null,
      onText: null,
      idleTimeoutMs: 5000,
      signal,
    } as const
    expect((await world.model.complete(ask)).text).toBe('first')
    const moved = {
      name: 'stub',
      baseUrl: second.baseUrl,
      apiKeyEnv: null,
      api: 'chat' as const,
      request: USUAL_REQUEST,
    }
    world.config.config = { ...world.config.config, providers: new Map([['stub', moved]]) }
    expect((await world.model.complete(ask)).text).toBe('second')
    world.config.config = { ...world.config.config, providers: new Map() }
    await expect(world.model.complete(ask)).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      message: expect.stringContaining('no provider "stub"'),
    })
  })
})

describe('tries', () => {
  const busy = { status: 429, body: { error: { message: 'slow down' } } }

  test.each([408, 409, 429, 500, 502, 503, 529])('makes another after status %i', async (status) => {
    const { answer, calls } = await callModel({ script: { list: [{ status, body: {} }, 'Hi.'] } })
    expect(answer?.text).toBe('Hi.')
    expect(calls).toHaveLength(2)
  })

  test('are four, with growing waits that are spread', async () => {
    const { error, calls, waitsMs } = await callModel({ script: { always: busy } })
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED', retry: 'backoff' })
    expect(error?.message).toBe('Provider "stub" lets no more requests through for now. It said: 429 slow down.')
    expect(calls).toHaveLength(4)
    expect(waitsMs).toHaveLength(3)
    for (const [index, ceiling] of [500, 1000, 2000].entries()) {
      expect(waitsMs[index]).toBeGreaterThanOrEqual(ceiling / 2)
      expect(waitsMs[index]).toBeLessThanOrEqual(ceiling)
    }
  })

  test.each([
    ['Retry-After in seconds', { 'retry-after': '7' }, 7000],
    ['retry-after-ms', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    ['a Retry-After that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ])('wait as long as %s says', async (_, headers, waitMs) => {
    const { answer, waitsMs } = await callModel({ script: { list: [{ ...busy, headers }, 'Hi.'] } })
    expect(answer?.text).toBe('Hi.')
    expect(waitsMs).toEqual([waitMs])
  })

  test('end at once when the provider asks for more than a minute', async () => {
    const { error, waitsMs } = await callModel({ script: { list: [{ ...busy, headers: { 'retry-after': '3600' } }] } })
    expect(error).toMatchObject({ code: 'MODEL_OVERLOADED', retryAfterMs: 3_600_000 })
    expect(waitsMs).toEqual([])
  })

  test('go on after a broken connection', async () => {
    const { answer } = await callModel({ script: { list: [(response) => response.destroy(), 'Hi.'] } })
    expect(answer?.text).toBe('Hi.')
  })

  test('go on after a stream that broke off, when nobody has seen its text', async () => {
    const { answer, calls } = await callModel({ script: { list: [{ content: 'H', finishReason: null }, 'Hi.'] } })
    expect(answer).toMatchObject({ text: 'Hi.', inputTokens: 200 })
    expect(calls).toHaveLength(2)
  })

  test('end once a piece of text has been handed on', async () => {
    const pieces: string[] = []
    const { error, calls } = await callModel({
      script: { list: [{ content: 'H', finishReason: null }] },
      request: { onText: (piece) => pieces.push(piece) },
    })
    expect(error?.code).toBe('MODEL_UNREACHABLE')
    expect(pieces).toEqual(['H'])
    expect(calls).toHaveLength(1)
  })

  test('are two for an empty answer, and what they cost is told', async () => {
    const { error, calls } = await callModel({ script: { always: '  \n' } })
    expect(error).toMatchObject({
      code: 'MODEL_BAD_OUTPUT',
      tokens: { inputTokens: 200, outputTokens: 40, cachedTokens: 80 },
    })
    expect(error?.message).toContain('gave an empty answer')
    expect(calls).toHaveLength(2)
  })

  test.each([400, 401, 403, 404, 422])('are one for status %i', async (status) => {
    const { calls } = await callModel({ script: { always: { status, body: {} } } })
    expect(calls).toHaveLength(1)
  })
})

/** Time goes by only as the tests say: the machine may stand still for longer than any limit. */
describe('limits', () => {
  const idleTimeoutMs = 5050
  const started = sse(chunk([{ index: 0, delta: { content: 'H' }, finish_reason: null }]))
  const begin = (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(started)

  test('end a request that is never answered', async () => {
    const clock = handClock()
    const hang = (): void => clock.pass(idleTimeoutMs)
    const { error, calls } = await callModel({ script: { always: hang }, request: { idleTimeoutMs }, world: { clock } })
    expect(error).toMatchObject({ code: 'MODEL_SILENT', retry: 'backoff' })
    expect(error?.message).toBe(
      'The answer of the planner\'s model "stub:stub-1" was given up: nothing came for 5.05 s. The limit is llm_idle_timeout in [settings].',
    )
    expect(calls).toHaveLength(1)
  })

  test('end a stream that falls silent', async () => {
    const clock = handClock()
    const { error } = await callModel({
      script: { always: begin },
      request: { idleTimeoutMs, onText: () => clock.pass(idleTimeoutMs) },
      world: { clock },
    })
    expect(error?.code).toBe('MODEL_SILENT')
  })

  test('end an answer that drips for ever', async () => {
    let answer: ServerResponse | null = null
    const drip = (response: ServerResponse): void => {
      answer = response
      begin(response)
    }
    // Headers and the first bytes may set a timer each before the next drop falls.
    const clock = handClock((ms) => {
      if (ms !== idleTimeoutMs || answer === null) return
      setImmediate(() => {
        clock.pass(idleTimeoutMs / 4)
        answer?.write(': still here\n')
      })
    })
    const { error } = await callModel({ script: { always: drip }, request: { idleTimeoutMs }, world: { clock } })
    expect(error).toMatchObject({ code: 'MODEL_SILENT', message: expect.stringContaining('not complete after 50.5 s') })
  })

  test('do not end an answer that is slow but moving', async () => {
    const clock = handClock()
    let answer: ServerResponse | null = null
    const slow = (response: ServerResponse): void => {
      answer = response
      begin(response)
    }
    let left = 5
    const goOn = (): void => {
      clock.pass(idleTimeoutMs * 0.9)
      if (left === 0) answer?.end(sse(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])))
      else answer?.write(started)
      left -= 1
    }
    const request = { idleTimeoutMs, onText: goOn }
    const outcome = await callModel({ script: { always: slow }, request, world: { clock } })
    expect(outcome.answer?.text).toBe('HHHHHH')
  })
})

describe('cancelling', () => {
  test.each<[string, StubScript]>([
    ['before any answer', { always: () => {} }],
    [
      'in a stream',
      { always: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n') },
    ],
  ])('%s ends the call and the connection', async (_, script) => {
    await using stub = await StubEndpoint.start(script)
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const abort = new AbortController()
    const asked = world.model
      .complete({
        role: 'planner',
        provider: 'stub',
        model: 'm',
        system: '',
        user: '',
        schema: null,
        onText: null,
        idleTimeoutMs: 60_000,
        signal: abort.signal,
      })
      .catch((error: unknown) => error)
    await until(() => stub.calls.length === 1)
    abort.abort('enough')
    expect(await asked).toMatchObject({ code: 'CANCELLED' })
    await until(async () => (await stub.connectionCount()) === 0)
  })

  test('does not hide what earlier tries have cost', async () => {
    const abort = new AbortController()
    const { error } = await callModel({
      script: { by: ({ index }) => (index === 0 ? { content: '' } : () => abort.abort('enough')) },
      request: { signal: abort.signal },
    })
    expect(error).toMatchObject({
      code: 'CANCELLED',
      tokens: { inputTokens: 100, outputTokens: 20, cachedTokens: 40 },
    })
  })

  test('before the call ends it too', async () => {
    const { error } = await callModel({ script: { list: [] }, request: { signal: AbortSignal.abort() } })
    expect(error?.code).toBe('CANCELLED')
  })
})

/** Waits for a state that another process (here: another socket) brings about. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
