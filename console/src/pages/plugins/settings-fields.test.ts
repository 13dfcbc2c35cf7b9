import { expect, test } from 'vitest'
import { settingsFields, settingsOf, textOf } from './settings-fields.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    greeting: { type: 'string', description: 'What is said.' },
    times: { type: 'integer' },
    loud: { type: 'boolean' },
    tone: { enum: ['kind', 'dry'] },
    words: { type: 'array', items: { type: 'string' } },
  },
  required: ['greeting'],
}

test('what is set comes back as it was, and what is left empty is left out', () => {
  const fields = settingsFields(SCHEMA)
  expect(fields.map(({ kind }) => kind)).toEqual(['text', 'number', 'switch', 'choice', 'json'])
  expect(fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual(['greeting'])
  const settings = { greeting: 'Hello', times: 3, loud: false, words: ['a', 'b'] }
  const texts = Object.fromEntries(
    fields.map((field) => [field.name, textOf(field, (settings as Record<string, unknown>)[field.name])]),
  )
  expect(settingsOf(fields, texts)).toEqual(settings)
  expect(() => settingsOf(fields, { words: '[' })).toThrow(SyntaxError)
})

test('a field that takes JSON says so, behind what it is for', () => {
  const properties = { words: { type: 'array' }, more: { type: 'object', description: 'What else is said.' } }
  const hints = settingsFields({ properties }).map(({ description }) => description)
  expect(hints).toEqual(['As JSON.', 'What else is said. As JSON.'])
})

test('a plugin without settings has no field', () => {
  expect(settingsFields({})).toEqual([])
  expect(settingsFields(null)).toEqual([])
})
