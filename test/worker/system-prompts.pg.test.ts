/** System prompts are kept once for all calls, and outlive every call that was made with them. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { removeOldPrompts } from '../../src/audit/remove-old-prompts.ts'
import type { NewCallTexts } from '../../src/core/turn-write.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { newId } from '../../src/platform/id.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { must } from '../../src/platform/must.ts'
import type { Database } from '../../src/store/database.ts'
import { beginTurn, type OpenTurn } from '../../src/store/turn/begin-turn.ts'
import type { Lease } from '../../src/store/turn/lease.ts'
import { MAX_KEPT_CHARS, readCallTexts } from '../../src/store/turn/model-call-texts.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { claimSessions } from '../harness/claim-sessions.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { StubConfig } from '../model/stub-config.ts'

let world: World
let lease: Lease
let turn: OpenTurn
beforeAll(async () => {
  world = await createWorld()
  const { database } = world.context
  await sendMessage(world.context, world.as('alice'), { sessionId: 'cli:prompts', content: 'hello' })
  lease = must((await claimSessions(database, 1, { limit: 1, held: [] }))[0], 'there is work')
  const begun = await beginTurn(database, lease, { at, limits: { summarizeThreshold: 30, maxRunningPerUser: 1000 } })
  if (begun.kind === 'Nothing') throw new Error('no open turn')
  turn = begun.turn
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.sql('DELETE FROM system_prompts'))

type Process = Pick<Database, 'query' | 'transaction'>

/** A process of its own: it remembers by itself what is kept. */
function anotherProcess(): Process {
  const { database } = world.context
  return {
    query: (statement, values) => database.query(statement, values),
    transaction: (work) => database.transaction(work),
  }
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

const store = (process: Process, texts: readonly NewCallTexts[], under: Lease = lease) =>
  commitTurn(process, { lease: under, turn }, { events: [], callTexts: texts })
/** Those of the calls that hold their system prompt themselves. */
const inItsRow = (texts: readonly NewCallTexts[]) =>
  world.sql<{ system: string }>(
    `SELECT system FROM model_call_texts WHERE system IS NOT NULL AND id = ANY ($1::text[]) ORDER BY id`,
    texts.map(({ id }) => id),
  )
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
  const prompts = ['plan', 'judge', 'plan']
  for (const process of [anotherProcess(), anotherProcess()]) {
    const calls = prompts.map((system) => call(system))
    await store(process, calls)
    expect(await inItsRow(calls)).toEqual([])
    const ids = calls.map(({ id }) => id)
    const read = await readCallTexts(world.context.database, ids)
    expect(ids.map((id) => read.get(id)?.system)).toEqual(prompts)
  }
  expect((await kept()).map(({ text }) => text)).toEqual(['judge', 'plan'])
})

test('one that a lost lease kept from being stored is stored by the next commit', async () => {
  const process = anotherProcess()
  const late = store(process, [call('plan')], { ...lease, epoch: lease.epoch - 1 })
  await expect(late).rejects.toMatchObject({ code: 'LEASE_LOST' })
  expect(await kept()).toEqual([])
  await store(process, [call('plan')])
  expect((await kept()).map(({ text }) => text)).toEqual(['plan'])
})

test('one that is known to be kept is not written again', async () => {
  const process = anotherProcess()
  await store(process, [call('plan')])
  const statements: string[] = []
  const listening: Process = {
    ...process,
    query: (statement, values) => {
      statements.push(statement.text)
      return process.query(statement, values)
    },
  }
  await store(listening, [call('plan')])
  await store(listening, [call('plan')])
  expect(statements.map((text) => text.includes('system_prompts'))).toEqual([true, false])
})

test('one from which a secret was taken stays with its call, also where the whole one is known', async () => {
  const process = anotherProcess()
  const whole = call('plan with hunter2')
  const redacted = () => call('plan with [REDACTED]', { sharedSha256: whole.sharedSha256 })
  const own = [redacted(), redacted()] as const
  await store(process, [own[0]])
  expect(await kept()).toEqual([])
  await store(process, [whole, own[1]])
  expect(await kept()).toEqual([{ sha256: whole.sharedSha256, text: 'plan with hunter2' }])
  expect(await inItsRow([whole, ...own])).toEqual(own.map(({ system }) => ({ system })))
})

test('one of a session is never shared', async () => {
  const own = call('plan, and answer in verse', { sharedSha256: null })
  await store(anotherProcess(), [own])
  expect(await kept()).toEqual([])
  expect(await inItsRow([own])).toEqual([{ system: own.system }])
})

test('of a long one the middle is left out, under the hash of the whole', async () => {
  const long = call('x'.repeat(MAX_KEPT_CHARS + 1000))
  await store(anotherProcess(), [long])
  expect(await kept()).toEqual([
    { sha256: long.sharedSha256, text: expect.stringContaining('1000 characters left out') },
  ])
})

test('that it is used is noted once an hour', async () => {
  const process = anotherProcess()
  await store(process, [call('plan')])
  await age(3)
  await store(process, [call('plan', { at: later(0.9) })])
  expect(await usedNow()).toBe(false)
  await store(process, [call('plan', { at: later(1) })])
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
  await store(anotherProcess(), [call('plan')])
  await age(7.9)
  await remove()
  expect(await kept()).toHaveLength(1)
  await age(0.2)
  await remove()
  expect(await kept()).toEqual([])
})
