import { expect, test } from 'vitest'
import { StubConfig } from '../../test/model/stub-config.ts'
import { AppError } from '../core/errors.ts'
import { ModelFailures } from './model-failures.ts'

const config = new StubConfig({ baseUrl: 'http://127.0.0.1:9' }).current()
const clock = { now: () => new Date(0) }

function failing(failures: ModelFailures, model: string, error: Error): Promise<void> {
  return expect(failures.watch({ provider: 'stub', model }, Promise.reject(error))).rejects.toBe(error)
}

test('the newest come first, and of too many models the oldest are forgotten', async () => {
  const failures = new ModelFailures(clock)
  for (let n = 0; n <= 100; n += 1) await failing(failures, String(n), new AppError('MODEL_SILENT', 'It is silent.'))
  await failing(failures, '7', new AppError('MODEL_QUOTA', 'It is used up.'))
  const all = failures.list(config)
  expect(all).toHaveLength(100)
  expect(all.slice(0, 2)).toMatchObject([{ model: '7', code: 'MODEL_QUOTA' }, { model: '100' }])
  expect(all.at(-1)).toMatchObject({ model: '1' })
})

test('a call that nobody waited for, a conversation that is forgotten and a bug are no failures of a model', async () => {
  const failures = new ModelFailures(clock)
  await failing(failures, 'a', new AppError('CANCELLED', 'The model call was cancelled.'))
  await failing(failures, 'a', new AppError('MODEL_CONVERSATION_LOST', 'It is not known.'))
  await failing(failures, 'a', new Error('bug'))
  expect(failures.list(config)).toEqual([])
})

test('of a provider that is not configured any more nothing is listed', async () => {
  const failures = new ModelFailures(clock)
  await failing(failures, 'a', new AppError('MODEL_SILENT', 'It is silent.'))
  expect(failures.list(new StubConfig({ baseUrl: null }).current())).toEqual([])
})
