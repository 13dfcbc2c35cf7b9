/** What becomes of a curator's job that gets no answer: its time is over, or its process stops. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { curateSession } from '../../src/knowledge/curation/curate-session.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { must } from '../../src/platform/must.ts'
import { claimCuration } from '../../src/store/knowledge/curation-jobs.ts'
import { createWorld, type World } from '../intake/intake-world.ts'
import { openAgentsWorld, type AgentsWorld } from '../model/agents-world.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { learn, openSession } from './play-corpus.ts'

let stub: StubEndpoint
let model: AgentsWorld
let world: World
/** Ends the job that waits for the curator. */
let giveUp: () => void
beforeAll(async () => {
  // It is asked, and never answers.
  stub = await StubEndpoint.start({ by: () => () => giveUp() })
  model = await openAgentsWorld({ baseUrl: stub.baseUrl })
})
afterAll(async () => {
  await model[Symbol.asyncDispose]()
  await stub.close()
})
beforeEach(async () => {
  world = await createWorld()
  await openSession(world.context.database, 'a')
  await learn(world.context.database, 'cli:a', 'The dock has nine gates.')
  await world.sql(`INSERT INTO curation_jobs (session_id, ready_at) VALUES ('cli:a', now())`)
})
afterEach(() => world[Symbol.asyncDispose]())

/** One run, which ends with this reason while the curator is asked. */
async function run(reason: DOMException): Promise<unknown[]> {
  const { database, config, clock } = world.context
  const ending = new AbortController()
  giveUp = () => ending.abort(reason)
  const context = {
    database,
    config,
    clock,
    agentsFor: () => model.agents,
    embedder: { meaningOf: () => Promise.resolve({ meaning: null, error: null, calls: [] }) },
    redactorOf: world.context.redactorOf,
    logger: createLogger({ level: 'silent', pretty: false }),
    metrics: createMetrics(),
  }
  const claim = must(await claimCuration(database), 'a job that is due')
  await curateSession(context, claim, AbortSignal.any([ending.signal]))
  return world.sql(`SELECT failures, run_id AS "runId",
    round(extract(epoch FROM ready_at - now()) / 60)::int AS minutes FROM curation_jobs`)
}

const OVER = new DOMException('The time is over.', 'TimeoutError')
const STOPPED = new DOMException('The process stops.', 'AbortError')

test('one whose time is over has failed: it is tried again after a pause, and after the last one no more', async () => {
  for (const [index, minutes] of [1, 5, 15, 60].entries()) {
    expect(await run(OVER)).toEqual([{ failures: index + 1, runId: null, minutes }])
    await world.sql('UPDATE curation_jobs SET ready_at = now()')
  }
  expect(await run(OVER)).toEqual([])
  expect(await world.sql('SELECT status, held FROM learnings')).toEqual([{ status: 'PENDING', held: false }])
})

test('one whose process stops has not: another one does it at once', async () => {
  expect(await run(STOPPED)).toEqual([{ failures: 0, runId: null, minutes: 0 }])
  expect(await run(STOPPED)).toEqual([{ failures: 0, runId: null, minutes: 0 }])
})
