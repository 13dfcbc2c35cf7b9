/** When a checkpoint is tried again whose provider wants to be left alone. */
import { expect, test } from 'vitest'
import { makeCheckpoint } from '../../src/knowledge/checkpoints/make-checkpoint.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { must } from '../../src/platform/must.ts'
import { claimCheckpoints, dueCheckpoint } from '../../src/store/knowledge/checkpoints.ts'
import { fillSession } from '../harness/long-history.ts'
import { createWorld } from '../intake/intake-world.ts'
import { openAgentsWorld } from '../model/agents-world.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'

const { signal } = new AbortController()

test.each([
  ['some hours', 7200, 120],
  ['a month, of a model that may be another one tomorrow', 30 * 86_400, 1440],
  ['more than there is time', 1e20, 1440],
])('after %s that a provider asks for, and after a day at most', async (_, seconds, minutes) => {
  const body = { error: { message: 'Too many requests.' } }
  await using stub = await StubEndpoint.start({
    always: { status: 429, headers: { 'retry-after': seconds.toFixed(0) }, body },
  })
  await using model = await openAgentsWorld({ baseUrl: stub.baseUrl })
  await using world = await createWorld()
  const { database, config, clock, redactorOf } = world.context
  await fillSession((sql, values) => world.sql(sql, ...values), { id: 'cli:away', turns: 3 })
  await dueCheckpoint(database, 'cli:away', 'TURN_LIMIT')
  const [claim] = await claimCheckpoints(database, 1)
  const context = {
    database,
    config,
    clock,
    redactorOf,
    agentsFor: () => model.agents,
    embedder: { meaningOf: () => Promise.resolve({ meaning: null, error: null, calls: [] }) },
    logger: createLogger({ level: 'silent', pretty: false }),
    metrics: createMetrics(),
  }
  await makeCheckpoint(context, must(claim, 'a checkpoint that is due'), signal)
  const pause = 'SELECT round(extract(epoch FROM ready_at - now()) / 60)::int AS minutes, failures FROM checkpoints'
  expect(await world.sql(pause)).toEqual([{ minutes, failures: 1 }])
})
