import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchConversation, type Exchange, type RepeatedText } from './same-conversation.ts'

const asked = (text: string): RepeatedText => ({ role: 'user', text, coversDecision: false })
const answered = (text: string, coversDecision = false): RepeatedText => ({ role: 'assistant', text, coversDecision })
const one: Exchange[] = [{ said: 'hi', answer: 'Hello! What now?' }]

test.each([
  ['goes on', [asked('hi'), answered('Hello! What now?')], 'next', one, 'NEXT'],
  ['goes on after an answer that was cut off', [asked('hi '), answered('Hello! Wh')], 'next', one, 'NEXT'],
  ['another answer was given', [asked('hi'), answered('Good morning!')], 'next', one, null],
  ['goes on after an answer that was stopped before its first word', [asked('hi')], 'next', one, 'NEXT'],
  [
    'goes on long after it',
    [asked('hi'), answered(''), asked('x'), answered('y')],
    'next',
    [...one, { said: 'x', answer: 'y' }],
    'NEXT',
  ],
  [
    'goes on after an answer that tells of another one, and was cut off',
    [asked('a'), asked('hi'), answered('Done.\n\nHello! Wh', true)],
    'next',
    [{ said: 'a', answer: 'Done.' }, ...one],
    'NEXT',
  ],
  [
    'an answer tells of another one, and is another one',
    [asked('a'), asked('hi'), answered('Done.\n\nGood morning!', true)],
    'next',
    [{ said: 'a', answer: 'Done.' }, ...one],
    null,
  ],
  ['an answer has a paragraph more', [asked('hi'), answered('Done.\n\nHello! What now?')], 'next', one, null],
  ['an answer where there was none', [asked('hi'), answered('Hello!')], 'next', [{ said: 'hi', answer: '' }], null],
  ['more was said elsewhere', [asked('hi'), answered('Hello!')], 'next', [...one, { said: 'x', answer: 'y' }], null],
  ['the first message, once more', [], 'hi', one, 'AGAIN'],
  ['another first message', [], 'ho', one, null],
  ['asked again', [asked('hi'), answered('Hello!')], 'x', [...one, { said: 'x', answer: 'y' }], 'AGAIN'],
  [
    'goes on after it was asked again',
    [asked('hi'), answered('Hello!'), asked('x'), answered('z')],
    'next',
    [...one, { said: 'x', answer: 'y' }, { said: 'x', answer: 'z' }],
    'NEXT',
  ],
  [
    'a secret',
    [asked('key: abc, please'), answered('ok')],
    'next',
    [{ said: 'key: [REDACTED], please', answer: 'ok' }],
    'NEXT',
  ],
  [
    'a secret at the beginning',
    [asked('abc is my key'), answered('ok')],
    'next',
    [{ said: '[REDACTED] is my key', answer: 'ok' }],
    'NEXT',
  ],
  ['no secret', [asked('key: abc'), answered('ok')], 'n', [{ said: 'key: [REDACTED], please', answer: 'ok' }], null],
] as const)('%s', (...[, history, text, exchanges, match]) => {
  expect(matchConversation(history, text, exchanges)).toBe(match)
})

test('an answer of a megabyte that tells of others is compared at once', () => {
  const history = [asked('a'), asked('hi'), answered('Done.\n\n'.repeat(100_000) + 'Good morning!', true)]
  expect(matchConversation(history, 'next', [{ said: 'a', answer: 'Done.' }, ...one])).toBe(null)
})

test('a conversation that is repeated word for word goes on, however long', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  const exchange = fc.record({ said: word, answer: word })
  fc.assert(
    fc.property(fc.array(exchange, { minLength: 1, maxLength: 40 }), word, (exchanges, text) => {
      const different = exchanges.map(({ said, answer }, index) => ({ said: `${index} ${said}`, answer }))
      const history = different.flatMap(({ said, answer }) => [asked(said), answered(answer)])
      expect(matchConversation(history, text, different)).toBe('NEXT')
      expect(matchConversation(history, text, different.slice(0, -1))).toBe(null)
    }),
  )
})
