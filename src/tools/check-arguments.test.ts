import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../core/tool/json.ts'
import { argumentProblems } from './check-arguments.ts'

/** Collects promises that were rejected and that nothing waits for, as of now. */
function watchRejections(): () => Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const see = (error: unknown): void => void seen.push(error)
  process.on('unhandledRejection', see)
  onTestFinished(() => void process.off('unhandledRejection', see))
  return async () => {
    // Rejections are reported before the next round of the event loop.
    await nextRound()
    return seen
  }
}

test('a schema that asks to be checked later is checked at once', async () => {
  const rejections = watchRejections()
  const whole = { type: 'object', $async: true, required: ['city'] }
  expect(argumentProblems(whole, {})).toEqual([`the arguments must have required property 'city'`])
  expect(argumentProblems(whole, { city: 'Bern' })).toEqual([])
  const inner = { type: 'object', properties: { place: { $ref: '#/$defs/place' } }, $defs: { place: whole } }
  expect(argumentProblems(inner, { place: {} })).toEqual([`"place" must have required property 'city'`])
  expect(await rejections()).toEqual([])
})

test('an argument may be called as a word of the format is', () => {
  const schema = { type: 'object', properties: { $async: { type: 'boolean' } }, additionalProperties: false }
  expect(argumentProblems(schema, { $async: true })).toEqual([])
  expect(argumentProblems(schema, { $async: 'yes' })).toEqual(['"$async" must be boolean'])
})

test('what would be compared for minutes is left to the tool', () => {
  const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties: { list: { type: 'array', items, ...more } },
  })
  const wrong = (length: number) => ({ list: Array.from({ length }, (_, i) => i) })
  expect(argumentProblems(list({ type: 'string' }), wrong(1))).toEqual(['"list/0" must be string'])
  expect(argumentProblems(list({ type: 'string' }), wrong(100_000))).toEqual([])
  expect(argumentProblems(list({}, { uniqueItems: true }), { list: [1, 1] })).toEqual([])
  const any = { anyOf: Array.from({ length: 1000 }, () => ({ type: 'string' })) }
  expect(argumentProblems(list(any), wrong(1))).not.toEqual([])
  expect(argumentProblems(list(any), wrong(100))).toEqual([])
  const referring = { ...list({ $ref: '#/$defs/any' }), $defs: { any } }
  expect(argumentProblems(referring, wrong(1))).not.toEqual([])
  expect(argumentProblems(referring, wrong(50))).toEqual([])
})
