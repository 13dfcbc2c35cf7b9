import { expect, test, vi } from 'vitest'
import { enqueueJobs } from '../../src/jobs/enqueue-jobs.ts'
import { JobRunner, type JobHandlers } from '../../src/jobs/job-runner.ts'
import { AppError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'
import { Arrivals } from '../harness/arrivals.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { PATIENCE } from '../harness/patience.ts'

const logger = createLogger({ level: process.env['LOG_LEVEL'] ?? 'silent', pretty: true })
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE', 'SIGUSR2', 'SIGABRT'] as const

async function startRunner(url: string, handlers: JobHandlers, log = logger): Promise<JobRunner & AsyncDisposable> {
  const metrics = createMetrics()
  const runner = new JobRunner({
    url,
    connections: 4,
    handlers,
    periodic: [],
    clock: systemClock,
    logger: log,
    metrics,
    pollMs: 20,
  })
  await runner.start()
  return Object.assign(runner, { [Symbol.asyncDispose]: () => runner.stop() })
}

async function openDatabase(url: string): Promise<Database & AsyncDisposable> {
  const database = new Database({ url, maxConnections: 2, logger })
  return Object.assign(database, { [Symbol.asyncDispose]: () => database.close() })
}

test('a job runs once, in one of the processes; the later one of two with the same key is the one that runs', async () => {
  await using server = await createTestDatabase()
  await using database = await openDatabase(server.url)
  const arrivals = new Arrivals<unknown>()
  const handlers: JobHandlers = { note: async (payload) => arrivals.add(payload) }
  const later = new Date(Date.now() + 3_600_000)
  await using _one = await startRunner(server.url, handlers)
  await using _two = await startRunner(server.url, handlers)
  await enqueueJobs(database, [{ name: 'note', payload: { n: 1 }, key: 'same', runAt: later }])
  await enqueueJobs(database, [
    { name: 'note', payload: { n: 2 }, key: 'same' },
    { name: 'note', payload: { n: 3 } },
  ])
  await arrivals.until((all) => all.length === 2)
  expect(arrivals.all.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
    { n: 2 },
    { n: 3 },
  ])
})

test('a job that fails is tried again, and the failure ends nothing else', async () => {
  await using server = await createTestDatabase()
  await using database = await openDatabase(server.url)
  const arrivals = new Arrivals<string>()
  const handlers: JobHandlers = {
    flaky: async () => {
      arrivals.add('flaky')
      if (arrivals.all.filter((name) => name === 'flaky').length === 1) throw new Error('not yet')
    },
    steady: async () => arrivals.add('steady'),
  }
  await using _runner = await startRunner(server.url, handlers)
  await enqueueJobs(database, [{ name: 'flaky', payload: {} }])
  await arrivals.until((all) => all.includes('flaky'))
  await enqueueJobs(database, [{ name: 'steady', payload: {} }])
  await arrivals.until((all) => all.length === 3)
  // Which comes first, the other job or the second attempt, depends on the machine.
  expect(arrivals.all.toSorted()).toEqual(['flaky', 'flaky', 'steady'])
})

test('one that waits for what is away is a warning without a stack, and a bug is an error with one', async () => {
  await using server = await createTestDatabase()
  await using database = await openDatabase(server.url)
  const lines: string[] = []
  const handlers: JobHandlers = {
    waits: () => Promise.reject(new AppError('PLUGIN_AWAY', 'it restarts')),
    breaks: () => Promise.reject(new Error('a bug')),
  }
  const log = createLogger({ level: 'warn', pretty: false, to: { write: (line) => void lines.push(line) } })
  await using _runner = await startRunner(server.url, handlers, log)
  await enqueueJobs(database, [
    { name: 'waits', payload: {} },
    { name: 'breaks', payload: {} },
  ])
  const failures = (): unknown[] =>
    lines.map((line) => JSON.parse(line) as { job?: string }).filter(({ job }) => job !== undefined)
  await vi.waitFor(() => {
    expect(failures()).toContainEqual(expect.objectContaining({ job: 'waits', level: 40, error: 'it restarts' }))
    expect(failures()).toContainEqual(
      expect.objectContaining({ job: 'breaks', level: 50, err: expect.objectContaining({ message: 'a bug' }) }),
    )
  }, PATIENCE)
})

test('a periodic job is known to all processes by its name, so that one of them runs it each time', async () => {
  await using server = await createTestDatabase()
  await using database = await openDatabase(server.url)
  const periodic = [{ name: 'tidy', cron: '17 3 * * *' }]
  const parts = { url: server.url, periodic, handlers: { tidy: async () => {} }, clock: systemClock, logger }
  const runners = [1, 2].map(() => new JobRunner({ ...parts, connections: 4, metrics: createMetrics() }))
  for (const runner of runners) await runner.start()
  await vi.waitFor(async () => {
    const text = 'SELECT identifier FROM graphile_worker._private_known_crontabs'
    expect(await database.query({ name: '', text }, [])).toEqual([{ identifier: 'tidy' }])
  }, PATIENCE)
  for (const runner of runners) await runner.stop()
})

test('it installs no signal handlers', async () => {
  await using server = await createTestDatabase()
  const before = SIGNALS.map((signal) => process.listenerCount(signal))
  await using _runner = await startRunner(server.url, {})
  expect(SIGNALS.map((signal) => process.listenerCount(signal))).toEqual(before)
})

test('it survives the loss of the database, in the middle of a job too, and goes on when it is back', async () => {
  await using server = await createTestDatabase()
  await using proxy = await TcpProxy.start(server.url)
  await using database = await openDatabase(server.url)
  const rejections: unknown[] = []
  const onRejection = (reason: unknown): number => rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  const arrivals = new Arrivals<string>()
  const lost = Promise.withResolvers<void>()
  const handlers: JobHandlers = {
    // Begun before the loss, ended after it: it cannot be settled.
    broken: async () => {
      arrivals.add('broken')
      await lost.promise
    },
    after: async () => arrivals.add('after'),
  }
  await using _runner = await startRunner(proxy.through(server.url), handlers)
  await enqueueJobs(database, [{ name: 'broken', payload: {} }])
  await arrivals.until((all) => all.includes('broken'))
  proxy.cut()
  lost.resolve()
  proxy.restore()
  // The answer that named a job can be what got lost: only enqueued again under its key does such a job run soon.
  await vi.waitFor(
    async () => {
      await enqueueJobs(database, [{ name: 'after', payload: {}, key: 'after' }])
      expect(arrivals.all).toContain('after')
    },
    { ...PATIENCE, interval: 100 },
  )
  process.off('unhandledRejection', onRejection)
  expect(rejections).toEqual([])
})
