import { expect, test } from 'vitest'
import { readPlainPart } from './plain-part.ts'

const piece = (choice: object, more: object = {}): object => ({ id: 'c', object: 'o', choices: [choice], ...more })
const delta = (said: object, more: object = {}): object => piece({ index: 0, delta: said, ...more })

test.each([
  ['a piece of a text', delta({ role: 'assistant', content: 'hi' }), { text: 'hi', usage: null }],
  ['the end', delta({}, { finish_reason: 'stop' }), { text: '', finishReason: 'stop' }],
  ['nothing said', delta({ content: null, refusal: null }), { text: '' }],
  ['what it cost', { choices: [], usage: { prompt_tokens: 3 } }, { text: '', usage: { prompt_tokens: 3 } }],
])('%s is read without a schema', (_, value, part) => {
  expect(readPlainPart(value)).toMatchObject(part)
})

test.each([
  ['an error', { error: { message: 'no' } }],
  ['an error beside choices', piece({ index: 0, delta: {}, error: {} })],
  ['a whole message', piece({ message: { content: 'hi' } })],
  ['a call of a tool', delta({ tool_calls: [] })],
  ['reasoning', delta({ content: 'hi', reasoning: 'hm' })],
  ['a refusal', delta({ refusal: 'no' })],
  ['parts of content', delta({ content: [{ type: 'text', text: 'hi' }] })],
  [
    'two choices',
    {
      choices: [
        { index: 0, delta: {} },
        { index: 1, delta: {} },
      ],
    },
  ],
  ['a cost of another kind', { choices: [], usage: 7 }],
  ['a text', 'hi'],
  ['a list', [{ choices: [] }]],
  ['nothing', null],
])('%s is left to the schema', (_, value) => {
  expect(readPlainPart(value)).toBeNull()
})
