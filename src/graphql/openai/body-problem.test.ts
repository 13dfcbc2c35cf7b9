import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { readChatRequest } from './chat-request.ts'
import { OpenAIError } from './openai-error.ts'
import { readResponsesRequest } from './responses/responses-request.ts'

const model = 'factotum'
const messages = [{ role: 'user', content: 'x' }]

function problemOf(
  read: (body: unknown, headers: IncomingHttpHeaders) => unknown,
  body: unknown,
): [string | null, string] {
  try {
    read(body, {})
  } catch (error) {
    if (error instanceof OpenAIError && error.status === 400) return [error.param, error.message]
    throw error
  }
  throw new Error('it is taken')
}

test.each([
  [[], null, 'The body: must be an object, not a list.'],
  [{}, 'model', 'model: is missing; it must be a string.'],
  [{ model: '', messages }, 'model', 'model: must not be empty.'],
  [{ model }, 'messages', 'messages: is missing; it must be a list.'],
  [{ model, messages: [] }, 'messages', 'messages: must not be empty.'],
  [{ model, messages: [{ role: 'user', content: '' }] }, 'messages', 'messages: the last message must not be empty.'],
  [{ model, messages: ['x'] }, 'messages.0', 'messages.0: must be an object, not a string.'],
  [{ model, messages: [{ content: 'x' }] }, 'messages.0.role', 'messages.0.role: is missing; it must be a string.'],
  [
    { model, messages: [{ role: 'user', content: 5 }] },
    'messages.0.content',
    'messages.0.content: must be a string or a list, not a number.',
  ],
  [
    { model, messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    'messages.0.content.0.type',
    'messages.0.content.0.type: is missing; it must be a string.',
  ],
  [
    { model, messages: [{ role: 'bot', content: 'x' }] },
    'messages.0.role',
    'messages.0.role: must be "system", "developer", "user" or "assistant", not "bot".',
  ],
  [{ model, messages, metadata: { n: 1 } }, 'metadata.n', 'metadata.n: must be a string, not a number.'],
  [{ model, messages, stream: 'yes' }, 'stream', 'stream: must be true or false, not a string.'],
  [{ model, messages, user: 'x'.repeat(256) }, 'user', 'user: must have at most 255 characters.'],
])('chat completions: %j', (body, param, sentence) => {
  expect(problemOf(readChatRequest, body)).toEqual([param, sentence])
})

const call = { type: 'function_call' }

test.each([
  [{ model, input: '' }, 'input', 'input: must not be empty.'],
  [{ model }, 'input', 'input: is missing; it must be a string or a list.'],
  [
    { model, input: [call, { role: 'user', content: 5 }] },
    'input.1.content',
    'input.1.content: must be a string or a list, not a number.',
  ],
  [
    { model, input: [call, { role: 'user', content: [{ type: 'input_image' }] }] },
    'input.1.content',
    expect.stringMatching(/^input_image: only text is taken here\. Put files into the session first, with PUT /),
  ],
  [{ model, input: 'x', conversation: {} }, 'conversation.id', 'conversation.id: is missing; it must be a string.'],
])('responses: %j', (body, param, sentence) => {
  expect(problemOf(readResponsesRequest, body)).toEqual([param, sentence])
})
