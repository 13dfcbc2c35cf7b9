/** System prompts are kept once for all calls, and outlive every call that was made with them. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeOldPrompts } from '../../src/audit/remove-old-prompts.ts'
import type { NewCallTexts } from '../../src/core/turn-write.ts'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import type { Queryable } from '../../src/store/database.ts'
import { callTextsRows, MAX_KEPT_CHARS } from '../../src/store/turn/model-call-texts.ts'
import { keepSystemPrompts } from '../../src/store/turn/system-prompts.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { StubConfig } from '../model/stub-config.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.sql('DELETE FROM system_prompts'))

/** A process of its own: it remembers by itself what is kept. */
function anotherProcess(): Queryable {
  return { query: (statement, values) => world.context.database.query(statement, values) }
}

const HOUR_MS = 3_600_000
const at = new Date('2026-01-02T03:04:05.678Z')
const later = (hours: number): Date => new Date(at.getTime() + hours * HOUR_MS)
const call = (system: string, more: Partial<NewCallTexts> = {}): NewCallTexts => ({
  id: newId('audit'),
  at,
  system,
  sharedSha256: hash('sha256', system),
  prompt: 'p',
  answer: null,
  ...more,
})

const kept = () =>
  world.sql<{ sha256: string; text: string }>(
    `SELECT encode(sha256, 'hex') AS sha256, text FROM system_prompts ORDER BY text`,
  )
const usedNow = async (): Promise<boolean> => {
  const [row] = await world.sql<{ now: boolean }>(
    `SELECT bool_and(used_at > now() - interval '1 hour') AS now FROM system_prompts`,
  )
  return row?.now === true
}
const age = (days: number) => world.sql(`UPDATE system_prompts SET used_at = used_at - $1 * interval '1 day'`, days)

test('many calls of two processes leave each prompt once, and their rows only name it', async () => {
  const calls = ['plan', 'judge', 'plan'].map((system) => call(system))
  for (const one of [anotherProcess(), anotherProcess()]) expect(await keepSystemPrompts(one, calls)).toEqual(calls)
  expect((await kept()).map(({ text }) => text)).toEqual(['judge', 'plan'])
  expect(callTextsRows(calls)).not.toContain('plan')
})

test('one from which a secret was taken stays with its call, also where the whole one is known', async () => {
  const process = anotherProcess()
  const whole = call('plan with hunter2')
  const redacted = call('plan with [REDACTED]', { sharedSha256: whole.sharedSha256 })
  const own = { ...redacted, sharedSha256: null }
  expect(await keepSystemPrompts(process, [redacted])).toEqual([own])
  expect(await kept()).toEqual([])
  expect(await keepSystemPrompts(process, [whole, redacted])).toEqual([whole, own])
  expect(await kept()).toEqual([{ sha256: whole.sharedSha256, text: 'plan with hunter2' }])
  expect(callTextsRows([own])).toContain('plan with [REDACTED]')
})

test('one of a session is never shared', async () => {
  const own = call('plan, and answer in verse', { sharedSha256: null })
  expect(await keepSystemPrompts(anotherProcess(), [own])).toEqual([own])
  expect(await kept()).toEqual([])
})

test('of a long one the middle is left out, under the hash of the whole', async () => {
  const long = call('x'.repeat(MAX_KEPT_CHARS + 1000))
  await keepSystemPrompts(anotherProcess(), [long])
  expect(await kept()).toEqual([
    { sha256: long.sharedSha256, text: expect.stringContaining('1000 characters left out') },
  ])
})

test('that it is used is noted once an hour', async () => {
  const process = anotherProcess()
  await keepSystemPrompts(process, [call('plan')])
  await age(3)
  await keepSystemPrompts(process, [call('plan', { at: later(0.9) })])
  expect(await usedNow()).toBe(false)
  await keepSystemPrompts(process, [call('plan', { at: later(1) })])
  expect(await usedNow()).toBe(true)
})

test('it goes a day after the last call that may name it', async () => {
  const config = new StubConfig({ baseUrl: null, settings: { promptRetentionDays: 7 } })
  const { database } = world.context
  const remove = () =>
    removeOldPrompts(
      { database, config, logger: createLogger({ level: 'silent', pretty: false }), metrics: createMetrics() },
      AbortSignal.timeout(60_000),
    )
  await keepSystemPrompts(anotherProcess(), [call('plan')])
  await age(7.9)
  await remove()
  expect(await kept()).toHaveLength(1)
  await age(0.2)
  await remove()
  expect(await kept()).toEqual([])
})
