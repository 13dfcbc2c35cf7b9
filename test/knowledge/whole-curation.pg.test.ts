/** What a curator's job does with more learnings than one call judges, and what counts as its failure. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createAgentsFor } from '../../src/agents/create-agents.ts'
import { AppError } from '../../src/core/errors.ts'
import { CurationJobs } from '../../src/knowledge/curation/curation-jobs.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { PATIENCE } from '../harness/patience.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { openAgentsWorld, type AgentsWorld } from '../model/agents-world.ts'
import { answerWell } from '../model/good-answers.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { learn, openSession } from './play-corpus.ts'

const logger = createLogger({ level: 'silent', pretty: false })

let stub: StubEndpoint
let model: AgentsWorld
let world: World
beforeAll(async () => {
  stub = await StubEndpoint.start({ by: answerWell })
  model = await openAgentsWorld({ baseUrl: stub.baseUrl })
})
afterAll(async () => {
  await model[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(async () => {
  world = await createWorld()
  await openSession(world.context.database, 'a')
  await world.sql(`INSERT INTO curation_jobs (session_id, ready_at) VALUES ('cli:a', now())`)
})
afterEach(() => world[Symbol.asyncDispose]())

async function learnMany(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await learn(world.context.database, 'cli:a', `Crane ${n} lifts ${n + 9} tons.`)
}

interface Given {
  readonly tokensPerDay?: number
  readonly meaningOf?: () => Promise<never>
}

/** The jobs of a process, by the poll that it has; `until` what the row of the job then is. */
async function jobAfter(until: (rows: unknown[]) => void, { tokensPerDay, meaningOf }: Given = {}): Promise<void> {
  const { database, redactorOf } = world.context
  const running = world.context.config.current()
  const budgets = { ...running.budgets, session: { tokensPerDay: tokensPerDay ?? null, costPerDay: null } }
  const config = { ...world.context.config, current: () => ({ ...running, budgets }) }
  const { home, config: ofModel, model: language } = model
  const context = {
    database,
    redactorOf,
    config,
    logger,
    clock: systemClock,
    metrics: createMetrics(),
    agentsFor: createAgentsFor({ config: ofModel, model: language, home, clock: systemClock, logger }),
    embedder: { meaningOf: meaningOf ?? (() => Promise.resolve({ meaning: null, error: null, calls: [] })) },
  }
  const feed = { published: () => {} }
  const jobs = new CurationJobs({ context, feed, doorbell: { ring: () => {} }, timing: { curationPollMs: 100 } })
  jobs.start()
  const row = `SELECT failures, leased_until IS NULL AS "isFree", ceil(extract(epoch FROM ready_at - now()) / 60)::int AS minutes
    FROM curation_jobs`
  await vi.waitFor(async () => until(await world.sql(row)), PATIENCE)
  await jobs.stop()
}

const waiting = () => world.sql(`SELECT id FROM learnings WHERE status = 'PENDING'`)

test('more of one scope than one call judges are judged in one run, which is no failure', async () => {
  await learnMany(45)
  await jobAfter((rows) => expect(rows).toEqual([]))
  expect(await waiting()).toEqual([])
})

test('an error of the world is a failure with its pause, and holds no lease', async () => {
  await learnMany(1)
  const meaningOf = () => Promise.reject(new AppError('DATABASE_UNAVAILABLE', 'canceling statement due to timeout'))
  await jobAfter((rows) => expect(rows).toEqual([{ failures: 1, isFree: true, minutes: 1 }]), { meaningOf })
  expect(await waiting()).toHaveLength(1)
})

test('a budget that is used up is no failure: what waits is judged once it is raised', async () => {
  await learnMany(1)
  const postponed = { failures: 0, isFree: true, minutes: 60 }
  await jobAfter((rows) => expect(rows).toEqual([postponed]), { tokensPerDay: 0 })
  await world.sql('UPDATE curation_jobs SET ready_at = now()')
  await jobAfter((rows) => expect(rows).toEqual([]))
  expect(await waiting()).toEqual([])
})
