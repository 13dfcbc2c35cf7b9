/** A conversation with tools, over real HTTP: what is sent, what comes back, by Chat Completions and by Responses. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../src/core/errors.ts'
import type {
  ConversationRequest,
  OfferedTool,
  ConversationMessage,
} from '../../src/model/conversation/conversation.ts'
import { openAgentsWorld, type AgentsWorldOptions } from './agents-world.ts'
import { chunk, sse, StubEndpoint, type StubScript } from './stub-endpoint.ts'

const WEATHER: OfferedTool = {
  name: 'weather__now',
  description: 'The weather at a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}
const ASKED: ConversationMessage = { by: 'user', text: 'How is the weather in Bari?' }

interface Try {
  readonly script: StubScript
  readonly request?: Partial<ConversationRequest>
  readonly world?: Partial<AgentsWorldOptions>
}

async function converse({ script, request, world: options }: Try) {
  await using stub = await StubEndpoint.start(script)
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl, ...options })
  return { ...(await converseIn(world, request)), calls: stub.calls }
}

async function converseIn(
  world: Pick<Awaited<ReturnType<typeof openAgentsWorld>>, 'model'>,
  request?: Partial<ConversationRequest>,
) {
  const texts: string[] = []
  const thoughts: string[] = []
  const outcome = await world.model
    .converse({
      role: 'messenger',
      provider: 'stub',
      model: 'stub-1',
      system: 'You help.',
      said: [ASKED],
      tools: [WEATHER],
      continues: null,
      onText: (delta) => texts.push(delta),
      onThinking: (delta) => thoughts.push(delta),
      idleTimeoutMs: 5000,
      signal: new AbortController().signal,
      ...request,
    })
    .then(
      (answer) => ({ answer, error: null }),
      (error: unknown) => ({ answer: null, error: error as AppError }),
    )
  return { ...outcome, texts, thoughts }
}

/** A stream of deltas of Chat Completions. */
function deltas(of: readonly object[], finishReason: string | null = 'stop') {
  return (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of of) response.write(sse(chunk([{ index: 0, delta, finish_reason: null }])))
    response.write(sse(chunk([{ index: 0, delta: {}, finish_reason: finishReason }])))
    response.write(sse(chunk([], { usage: { prompt_tokens: 7, completion_tokens: 3 } })))
    response.end(finishReason === null ? '' : 'data: [DONE]\n\n')
  }
}

/** The events of an answer of the Responses API. */
function events(of: readonly object[]) {
  return (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(of.map((one) => `event: ${(one as { type: string }).type}\n${sse(one)}`).join(''))
  }
}

const RESPONSES = { api: 'responses' } as const
const STREAM = { 'content-type': 'text/event-stream' } as const
const usage = { input_tokens: 9, output_tokens: 4, input_tokens_details: { cached_tokens: 5 } }
const completed = (id: string, more: object = {}): object => ({
  type: 'response.completed',
  response: { id, status: 'completed', output: [], usage, ...more },
})

const HI = { type: 'response.output_text.delta', delta: 'Hi.' }

/** The first piece of a call, or all of it. */
const toolCall = (id: string, name: string, args: string): object => ({
  tool_calls: [{ index: id === 'o' ? 1 : 0, id, type: 'function', function: { name, arguments: args } }],
})

describe.each(['chat', 'responses'] as const)('by the API %s', (api) => {
  test('a call is sent back under a name that providers take, whatever the model had made up', async () => {
    const names = ['', 'weather now', 'functions.exec', 'ä'.repeat(100), 'weather__now']
    const calls = names.map((name, index) => ({ id: `c${index}`, name, written: '{}' }))
    const said: ConversationMessage[] = [ASKED, { by: 'assistant', text: '', calls }]
    const script = { always: api === 'chat' ? 'Hi.' : events([HI, completed('r')]) }
    const { calls: asked } = await converse({ world: { api }, request: { said }, script })
    const sent = [...JSON.stringify(asked[0]?.body.messages ?? asked[0]?.body.input).matchAll(/"name":"(.*?)"/g)]
    expect(sent.map(([, name]) => name)).toEqual([
      'unnamed',
      'weather_now',
      'functions_exec',
      '_'.repeat(64),
      'weather__now',
    ])
  })
})

describe('what was spent on an answer that comes to nothing is counted', () => {
  const used = { prompt_tokens: 7, completion_tokens: 3 }
  const piece = chunk([{ index: 0, delta: { content: 'Hi' }, finish_reason: null }], { usage: used })
  const broken =
    (last: string) =>
    (response: ServerResponse): void => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${sse(piece)}${last}`)
    }
  const failed = { id: 'r', status: 'failed', error: { message: 'It broke.' }, usage }

  test.each([
    ['an error after it', { world: {}, script: broken(sse({ error: { message: 'It broke.' } })) }, [7, 3, 0]],
    ['a part that is none', { world: {}, script: broken(sse({ choices: 'none' })) }, [7, 3, 0]],
    ['a failure', { world: RESPONSES, script: events([HI, { type: 'response.failed', response: failed }]) }, [9, 4, 5]],
    ['four failed documents', { world: RESPONSES, script: { status: 200, body: failed } }, [36, 16, 20]],
  ] as const)('%s', async (_what, { world, script }, [inputTokens, outputTokens, cachedTokens]) => {
    const { error } = await converse({ world, script: { always: script } })
    expect(error).toMatchObject({ tokens: { inputTokens, outputTokens, cachedTokens } })
  })

  test('one that is cancelled', async () => {
    const stop = new AbortController()
    const { error } = await converse({
      script: { always: (response) => void response.writeHead(200, STREAM).write(sse(piece)) },
      request: { signal: stop.signal, onText: () => stop.abort() },
    })
    expect(error).toMatchObject({ code: 'CANCELLED', tokens: { inputTokens: 7, outputTokens: 3, cachedTokens: 0 } })
  })
})

describe('by Chat Completions', () => {
  test('the end of a conversation that was kept by another API is not sent alone', async () => {
    const { error, calls } = await converse({
      script: { list: [] },
      request: { said: [{ by: 'tool', callId: 'a', text: 'Sunny.' }], continues: 'resp_1' },
    })
    expect(error?.code).toBe('MODEL_CONVERSATION_LOST')
    expect(calls).toEqual([])
  })

  test('reasoning without its first mark is held back, and shown as such, from the second answer on', async () => {
    const pieces = ['Hmm.', '\n</think>\n', '\nHi.'].map((content) => ({ content }))
    await using stub = await StubEndpoint.start({ always: deltas(pieces) })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    const first = await converseIn(world)
    // Nobody could know by then what it was.
    expect(first.texts.join('')).toContain('Hmm.')
    const second = await converseIn(world)
    expect([second.texts.join(''), second.answer?.text]).toEqual(['Hi.', 'Hi.'])
    expect(second.thoughts.join('')).toContain('Hmm.')
  })

  test('sends what was said and the tools; the answer is calls, in pieces put together', async () => {
    const said: ConversationMessage[] = [
      ASKED,
      { by: 'assistant', text: '', calls: [{ id: 'a', name: 'weather__now', written: '{"place":"Bari"}' }] },
      { by: 'tool', callId: 'a', text: 'Sunny.' },
      { by: 'assistant', text: 'Sunny.', calls: [] },
      { by: 'user', text: 'And in Rome and Oslo?' },
    ]
    const { answer, calls, thoughts, texts } = await converse({
      request: { said },
      script: {
        always: deltas(
          [
            { reasoning_content: 'Two ' },
            { reasoning: 'places.' },
            toolCall('r', 'weather__now', ''),
            { tool_calls: [{ index: 0, function: { arguments: '{"place":' } }] },
            toolCall('o', 'weather__now', '{"place":"Oslo"}'),
            { tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] },
          ],
          'tool_calls',
        ),
      },
    })
    expect(answer).toEqual({
      text: '',
      calls: [
        { id: 'r', name: 'weather__now', args: { place: 'Rome' }, written: '{"place":"Rome"}' },
        { id: 'o', name: 'weather__now', args: { place: 'Oslo' }, written: '{"place":"Oslo"}' },
      ],
      responseId: null,
      inputTokens: 7,
      outputTokens: 3,
      cachedTokens: 0,
    })
    expect(thoughts).toEqual(['Two ', 'places.'])
    expect(texts).toEqual([])
    expect(calls[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'You help.' },
        { role: 'user', content: ASKED.text },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { arguments: '{"place":"Bari"}' } }] },
        { role: 'tool', tool_call_id: 'a', content: 'Sunny.' },
        { role: 'assistant', content: 'Sunny.' },
        { role: 'user', content: 'And in Rome and Oslo?' },
      ],
      tools: [{ type: 'function', function: WEATHER }],
    })
  })

  test('streams a text beside its calls, and says nothing of tools where there are none', async () => {
    const both = await converse({ script: { always: deltas([{ content: 'I look. ' }, toolCall('a', 'x', '{}')]) } })
    expect(both.answer).toMatchObject({ text: 'I look. ', calls: [{ name: 'x' }] })
    expect(both.texts).toEqual(['I look. '])
    const { calls } = await converse({ script: { always: 'Hi.' }, request: { tools: [] } })
    expect(calls[0]?.body).not.toHaveProperty('tools')
  })

  test('arguments that are cut off are no arguments; an answer that is cut off is none', async () => {
    const cut = await converse({ script: { always: deltas([toolCall('a', 'x', '{"place": "Ba')]) } })
    expect(cut.answer?.calls).toMatchObject([{ args: null, written: '{"place": "Ba' }])
    const ended = await converse({ script: { always: deltas([toolCall('a', 'x', '{"pl')], 'length') } })
    expect(ended.error?.code).toBe('MODEL_TRUNCATED')
  })

  test('is tried again when it breaks off before anything was passed on, and not after', async () => {
    const broken = deltas([toolCall('a', 'x', '{}')], null)
    const { answer, calls } = await converse({ script: { list: [broken, 'Sunny.'] } })
    expect(answer).toMatchObject({ text: 'Sunny.' })
    expect(calls).toHaveLength(2)
    const thought = await converse({ script: { list: [deltas([{ reasoning: 'Hm.' }], null)] } })
    expect(thought.error?.code).toBe('MODEL_UNREACHABLE')
  })

  test('an answer without text and calls is none', async () => {
    const { error } = await converse({ script: { always: deltas([{ reasoning: 'Hm.' }]) } })
    expect(error?.code).toBe('MODEL_BAD_OUTPUT')
  })
})

describe('by Responses', () => {
  const world = { api: 'responses' } as const

  test('goes on from what the provider keeps, sends only what is new, and names what it keeps now', async () => {
    const { answer, calls, texts, thoughts } = await converse({
      world,
      request: { said: [{ by: 'tool', callId: 'a', text: 'Sunny.' }], continues: 'resp_1' },
      script: {
        always: events([
          { type: 'response.created', response: { id: 'resp_2', status: 'in_progress' } },
          { type: 'response.reasoning_summary_text.delta', delta: 'It is sunny.' },
          { type: 'response.output_text.delta', delta: 'Sun' },
          { type: 'response.output_text.delta', delta: 'ny.' },
          { type: 'response.something.new', of: 'tomorrow' },
          completed('resp_2'),
        ]),
      },
    })
    expect(answer).toEqual({
      text: 'Sunny.',
      calls: [],
      responseId: 'resp_2',
      inputTokens: 9,
      outputTokens: 4,
      cachedTokens: 5,
    })
    expect([texts, thoughts]).toEqual([['Sun', 'ny.'], ['It is sunny.']])
    expect(calls[0]?.body).toMatchObject({
      instructions: 'You help.',
      previous_response_id: 'resp_1',
      input: [{ type: 'function_call_output', call_id: 'a', output: 'Sunny.' }],
      tools: [{ type: 'function', ...WEATHER }],
      store: true,
    })
  })

  test('finds calls in a stream and in a document', async () => {
    const item = { type: 'function_call', call_id: 'a', name: 'weather__now', arguments: '{"place":"Bari"}' }
    const found = [{ id: 'a', name: 'weather__now', args: { place: 'Bari' }, written: item.arguments }]
    const streamed = await converse({
      world,
      script: { always: events([{ type: 'response.output_item.done', item }, completed('r', { output: [item] })]) },
    })
    expect(streamed.answer?.calls).toEqual(found)
    const message = { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] }
    const body = { id: 'r', status: 'completed', output: [message, item], usage }
    const whole = await converse({ world, script: { always: { status: 200, body } } })
    expect(whole.answer).toMatchObject({ text: 'I look.', calls: found, responseId: 'r' })
  })

  test('says when the provider no longer has the conversation', async () => {
    const error = { code: 'previous_response_not_found', message: "Previous response with id 'resp_1' not found." }
    const lost = { always: { status: 400, body: { error } } }
    expect((await converse({ world, request: { continues: 'resp_1' }, script: lost })).error?.code).toBe(
      'MODEL_CONVERSATION_LOST',
    )
    expect((await converse({ world, script: lost })).error?.code).toBe('MODEL_BAD_REQUEST')
  })

  test('is sent the limit and the further fields of its provider, and its reasoning is no text', async () => {
    const { answer, calls, thoughts } = await converse({
      world: { ...world, request: { maxTokens: 700, extraBody: { temperature: 0.2, store: false } } },
      script: {
        always: events([
          { type: 'response.output_text.delta', delta: '<think>Hm' },
          { type: 'response.output_text.delta', delta: '.</think>\n\nSunny.' },
          completed('resp_2'),
        ]),
      },
    })
    expect(calls[0]?.body).toMatchObject({ max_output_tokens: 700, temperature: 0.2, store: true })
    expect(answer?.text).toBe('Sunny.')
    expect(thoughts.join('')).toBe('Hm.')
  })

  test('an answer that broke off, failed or was cut is none', async () => {
    const codeOf = async (last: object): Promise<string | undefined> =>
      (
        await converse({
          world,
          script: { always: events([{ type: 'response.output_text.delta', delta: 'Su' }, last]) },
        })
      ).error?.code
    expect(await codeOf({ type: 'response.created' })).toBe('MODEL_UNREACHABLE')
    expect(await codeOf({ type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } })).toBe(
      'MODEL_OVERLOADED',
    )
    const failed = (code: string) => ({ type: 'error', code, message: 'No.', param: null })
    expect(await codeOf(failed('server_error'))).toBe('MODEL_OVERLOADED')
    expect(await codeOf(failed('context_length_exceeded'))).toBe('MODEL_BAD_REQUEST')
    expect(await codeOf(failed('insufficient_quota'))).toBe('MODEL_QUOTA')
    expect(await codeOf({ ...failed('invalid_prompt'), param: 'input' })).toBe('MODEL_BAD_REQUEST')
    const details = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(await codeOf({ type: 'response.incomplete', response: { id: 'r', ...details } })).toBe('MODEL_TRUNCATED')
    for (const why of [null, {}, { reason: 'something_new' }]) {
      const response = { id: 'r', status: 'incomplete', incomplete_details: why }
      expect(await codeOf({ type: 'response.incomplete', response })).toBe('MODEL_TRUNCATED')
    }
    expect(await codeOf(completed('r', { status: 'cancelled' }))).toBe('MODEL_OVERLOADED')
  })

  test('an id that cannot be kept is none', async () => {
    for (const id of ['', 'resp\u0000', 'r'.repeat(2000)]) {
      const { answer } = await converse({ world, script: { always: events([HI, completed(id)]) } })
      expect(answer).toMatchObject({ text: 'Hi.', responseId: null })
    }
  })
})

describe('the rehearsal model', () => {
  const talk = (said: readonly ConversationMessage[]) =>
    converse({ script: { list: [] }, world: { baseUrl: null }, request: { said, provider: 'rehearsal', model: 'x' } })

  test('asks for the tools that the lines name, group by group, then says what came of them', async () => {
    const asked: ConversationMessage = {
      by: 'user',
      text: 'think: Two at once.\ntool: weather__now {"place":"Bari"}\nrun: date\n\nskill: search {"query":"sea"}\nThanks',
    }
    const first = await talk([asked])
    expect(first.thoughts.join('')).toBe('Two at once.')
    expect(first.answer?.calls).toMatchObject([
      { name: 'weather__now', args: { place: 'Bari' } },
      { name: 'exec', args: { command: 'date' } },
    ])
    const calls = (first.answer?.calls ?? []).map(({ id, name, written }) => ({ id, name, written }))
    const results = calls.map(({ id, name }): ConversationMessage => ({
      by: 'tool',
      callId: id,
      text: `${name} says so.`,
    }))
    const after = [asked, { by: 'assistant', text: '', calls } as const, ...results]
    const second = await talk(after)
    expect(second.thoughts).toEqual([])
    expect(second.answer?.calls).toMatchObject([{ name: 'skills__search', args: { query: 'sea' } }])
    const last = await talk([
      ...after,
      { by: 'assistant', text: '', calls: [{ id: 's', name: 'skills__search', written: '{}' }] },
      { by: 'tool', callId: 's', text: 'Found it.' },
    ])
    expect(last.answer?.calls).toEqual([])
    expect(last.answer?.text).toMatch(/Rehearsal: [^]*> Thanks[^]*weather__now says so\.[^]*Found it\./)
  })

  test('answers a message without such lines at once', async () => {
    const { answer, texts } = await talk([{ by: 'user', text: 'Hello there' }])
    expect(answer?.text).toContain('> Hello there')
    expect(texts.length).toBeGreaterThan(1)
  })
})
