/** A conversation with tools that a provider refuses to go on with: asked in the form that it takes, and remembered. */
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../../src/core/errors.ts'
import type { ConversationMessage } from '../../../src/model/conversation/conversation.ts'
import { openAgentsWorld, type AgentsWorld } from '../agents-world.ts'
import { StubEndpoint } from '../stub-endpoint.ts'
import { NO_TOOLS, ROUNDS, type SentMessage } from './rounds.ts'

const CALL = { id: 'call_a', name: 'weather', written: '{}' }
const SAID: readonly ConversationMessage[] = [
  { by: 'user', text: 'Hello?' },
  { by: 'user', text: 'How is the weather?' },
  { by: 'assistant', text: 'I will see.', calls: [CALL, { ...CALL, id: 'call_b' }] },
  { by: 'tool', callId: 'call_a', text: 'Sunny.' },
  { by: 'tool', callId: 'call_b', text: 'Still sunny.' },
  { by: 'user', text: 'Be quick.' },
]

async function goOn({ model }: AgentsWorld): Promise<string> {
  const answer = model.converse({
    role: 'assistant',
    provider: 'stub',
    model: 'stub-1',
    system: 'You help.',
    said: SAID,
    tools: [{ name: 'weather', description: 'The weather.', parameters: { type: 'object', properties: {} } }],
    continues: null,
    onText: null,
    onThinking: null,
    idleTimeoutMs: 5000,
    signal: new AbortController().signal,
  })
  return answer.then(
    ({ text }) => text,
    ({ code, message }: AppError) => `${code}: ${message}`,
  )
}

const sentOf = ({ body }: { readonly body: unknown }): readonly SentMessage[] =>
  (body as { readonly messages: readonly SentMessage[] }).messages

describe('a conversation that is refused', () => {
  test.each(ROUNDS.map((round) => [`${round.provider}: ${round.what}`, round] as const))(
    '%s',
    async (_, { status, message, refuses }) => {
      await using stub = await StubEndpoint.start({
        by: (call) => (refuses(sentOf(call)) ? { status, body: { error: { message } } } : 'Sunny.'),
      })
      await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
      expect(await goOn(world)).toBe('Sunny.')
      const asked = stub.calls.length
      expect(await goOn(world)).toBe('Sunny.')
      expect(stub.calls).toHaveLength(asked + 1)
      const sent = sentOf(stub.calls[asked] ?? { body: null })
      const ids = sent.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id))
      expect(new Set(ids).size).toBe(2)
      expect(sent.flatMap(({ tool_call_id: answered }) => answered ?? [])).toEqual(ids)
    },
  )

  test('templates that want user and assistant by turns get what one user said twice as one message', async () => {
    await using stub = await StubEndpoint.start({ always: 'Sunny.' })
    await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
    await goOn(world)
    const sent = sentOf(stub.calls[0] ?? { body: null })
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user'])
    expect(sent[1]?.content).toBe('Hello?\n\nHow is the weather?')
  })
})

test.each(NO_TOOLS)('a model without tools, in the words of $provider, is what people read', async (refused) => {
  const { status, message } = refused
  await using stub = await StubEndpoint.start({ always: { status, body: { error: { message } } } })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  expect(await goOn(world)).toMatch(/^MODEL_UNKNOWN: .*calls of tools.*\[models\] assistant = .*mode PLAN/)
  expect(stub.calls).toHaveLength(1)
})

test('a call that a model wrote as a text is no answer, and the operator reads why', async () => {
  const text = '<tool_call>\n{"name": "weather", "arguments": {}}\n</tool_call>'
  await using stub = await StubEndpoint.start({ list: [text, 'Sunny.', text, text] })
  await using world = await openAgentsWorld({ baseUrl: stub.baseUrl })
  expect(await goOn(world)).toBe('Sunny.')
  expect(await goOn(world)).toMatch(/^MODEL_BAD_OUTPUT: .*as a text.*--tool-call-parser/)
})
