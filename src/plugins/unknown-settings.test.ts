import { expect, test } from 'vitest'
import * as z from 'zod'
import { describePlugin } from '../plugin-api/manifest.ts'
import { unknownSettings } from './unknown-settings.ts'

const about = (settings: z.ZodObject | undefined, given: object): string | null => {
  const plugin = { name: 'it', version: '1', api: 1, title: 'It', description: 'It.' } as const
  return unknownSettings(given, describePlugin(settings === undefined ? plugin : { ...plugin, settings }))
}

test('a setting that is misspelt is named, with those that there are', () => {
  const settings = z.object({ words: z.array(z.string()).default([]), token: z.string().optional() })
  expect(about(settings, { words: ['a'], token: 'b' })).toBeNull()
  expect(about(settings, {})).toBeNull()
  expect(about(settings, { wrods: ['a'] })).toBe('it has no setting "wrods"; it has words, token')
  expect(about(settings, { constructor: 1, a: 2 })).toBe('it has no setting "constructor", "a"; it has words, token')
})

test('a plugin without settings has none; one that takes any takes any', () => {
  expect(about(undefined, { a: 1 })).toBe('it has no setting "a"; it has none')
  expect(about(z.strictObject({}), { a: 1 })).toBe('it has no setting "a"; it has none')
  expect(about(z.looseObject({ b: z.string() }), { a: 1 })).toBeNull()
  expect(about(z.object({}).catchall(z.number()), { a: 1 })).toBeNull()
})
