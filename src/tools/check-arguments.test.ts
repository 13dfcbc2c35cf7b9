import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
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
