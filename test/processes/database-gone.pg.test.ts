/**
 * The database cannot be reached for a while. Callers are told so at once and by name, the process lives, nothing
 * that was accepted is lost, and when the database is back everything goes on by itself.
 */
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { askOperators } from '../harness/ask-operators.ts'
import type { ApiClient, Reply } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import {
  AppendMessageDocument,
  FollowSessionDocument,
  SendMessageDocument,
  SessionsDocument,
  WatchSessionDocument,
  type SendMessageMutation,
} from '../generated/graphql.ts'

const SESSION = 'cli:gone'

interface Stage extends AsyncDisposable {
  readonly cluster: Cluster
  readonly proxy: TcpProxy
  readonly server: ServerProcess
  readonly ada: ApiClient
}

/** One server whose only way to the database can be cut. */
async function beginStage(): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(await Cluster.begin())
  const url = cluster.databaseUrl ?? ''
  const proxy = stack.use(await TcpProxy.start(url))
  const server = await cluster.start({ databaseUrl: proxy.through(url) })
  const owned = stack.move()
  return {
    cluster,
    proxy,
    server,
    ada: clientOf(server, 'ada'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const input = (content: string, idempotencyKey: string) => ({ sessionId: SESSION, content, idempotencyKey })

function codesOf({ errors }: Reply<unknown>): unknown[] {
  return errors.map(({ extensions }) => extensions?.['code'])
}

async function readiness(server: ServerProcess): Promise<{ status: number; database: unknown }> {
  const response = await askOperators(server.url, '/ready')
  const { checks } = (await response.json()) as { checks: { database: unknown } }
  return { status: response.status, database: checks.database }
}

/** Sends until it is accepted, as a client with an idempotency key may. */
async function sendAgain(ada: ApiClient, content: string, key: string): Promise<SendMessageMutation['sendMessage']> {
  for (;;) {
    const reply = await ada.request(SendMessageDocument, { input: input(content, key) })
    if (reply.data != null) return reply.data.sendMessage
    await systemClock.sleep(100)
  }
}

const outages = [
  ['connections are reset', (proxy: TcpProxy) => proxy.cut()],
  ['nothing comes through any more', (proxy: TcpProxy) => proxy.silence()],
] as const

test.each(outages)(
  '%s: requests fail soon, and all goes on where it was when the database is back',
  async (_, goAway) => {
    await using stage = await beginStage()
    const { cluster, proxy, server, ada } = stage
    const marks = cluster.path('marks')
    await send(ada, SESSION, `run: echo first >> ${marks}\nrun: echo second >> ${marks}; echo begun; sleep 600`)
    await send(ada, SESSION, `run: echo queued >> ${marks}`)
    await using watch = ada.watch(FollowSessionDocument, { sessionId: SESSION, after: 0 })
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')

    goAway(proxy)
    // As many as would use up the pool of connections.
    const refused = await Promise.all([
      ...Array.from({ length: 30 }, () => ada.request(SessionsDocument, { first: 1 })),
      ada.request(SendMessageDocument, { input: input(`run: echo late >> ${marks}`, 'late') }),
      ada.request(AppendMessageDocument, { input: { sessionId: SESSION, content: 'x', messageId: 'appended' } }),
    ])
    expect(new Set(refused.flatMap(codesOf))).toEqual(new Set(['DATABASE_UNAVAILABLE']))
    expect(refused.every(({ data, errors }) => data === null && errors.length === 1)).toBe(true)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    expect(await readiness(server)).toMatchObject({ status: 503, database: { ok: false } })
    proxy.restore()
    const late = await sendAgain(ada, `run: echo late >> ${marks}`, 'late')
    expect(late).toMatchObject({ __typename: 'SendMessagePayload' })
    const ended = await turnsEnd(ada, 3)
    expect(ended.statuses).toEqual(['DONE', 'DONE', 'DONE'])
    expect(await cluster.lines('marks')).toEqual(['first', 'second', 'queued', 'late'])
    expect(ended.interrupted).toBe(1)
    expect(await readiness(server)).toMatchObject({ status: 200, database: { ok: true } })

    // Who had been watching all the time has missed nothing.
    await watch.until(({ sessionEvents }) => sessionEvents.seq === ended.seqs.at(-1))
    const seen = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    expect(ended.seqs.filter((seq) => !seen.includes(seq))).toEqual([])
  },
)

test('log and /ready say what is wrong with the database and what to do, and /metrics says it once', async () => {
  await using stage = await beginStage()
  const { proxy, server } = stage
  const scrape = async (): Promise<string> => (await askOperators(server.url, '/metrics')).text()
  proxy.cut()
  const beat = await server.logged('beat failed; running turns stop and resume from their rows')
  expect(beat['error']).not.toContain('not queryable')
  const detail = expect.stringMatching(/^PostgreSQL takes no work: (?!The database cannot be reached)/)
  const fix = expect.stringContaining('factotum doctor')
  expect(await readiness(server)).toMatchObject({ database: { ok: false, detail, fix } })
  for (let n = 0; n < 3; n += 1) expect(await scrape()).toMatch(/^factotum_database_up 0$/m)
  const unread = server.logs.filter(({ msg }) => msg.startsWith('figures of the queue could not be read'))
  expect(unread).toEqual([expect.objectContaining({ error: expect.stringMatching(/\(.+\)$/) })])
  proxy.restore()
  await expect.poll(scrape).toMatch(/^factotum_database_up 1$/m)
  await server.logged('figures of the queue can be read again')
})

/** Watches the log from the start until so many turns have ended. */
async function turnsEnd(ada: ApiClient, turns: number) {
  await using watch = watchAll(ada, SESSION)
  await turnEnd(watch, turns)
  const interrupted = eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'INTERRUPTED')
  return {
    statuses: eventsOf(watch, 'TurnCompletedEvent').map(({ turnStatus }) => turnStatus),
    interrupted: interrupted.length,
    seqs: watch.received.map(({ sessionEvents }) => sessionEvents.seq),
  }
}

test('the answer to an accepted message is lost on its way: sent again with its key, it is the same message', async () => {
  await using stage = await beginStage()
  const { cluster, proxy, ada } = stage
  const content = `run: echo once >> ${cluster.path('marks')}`
  const lost = proxy.loseAnswerTo('key-of-the-lost-answer')
  const reply = await ada.request(SendMessageDocument, { input: input(content, 'key-of-the-lost-answer') })
  await lost
  expect(codesOf(reply)).toEqual(['DATABASE_UNAVAILABLE'])
  const again = await sendAgain(ada, content, 'key-of-the-lost-answer')
  expect(again).toMatchObject({ __typename: 'SendMessagePayload', duplicate: true })
  expect((await turnsEnd(ada, 1)).statuses).toEqual(['DONE'])
  expect(await cluster.query('SELECT content FROM messages')).toEqual([{ content }])
  expect(await cluster.lines('marks')).toEqual(['once'])
})

test("a turn's commit is done and its answer lost: the turn goes on from its rows, and nothing is done twice", async () => {
  await using stage = await beginStage()
  const { cluster, proxy, ada } = stage
  const marks = cluster.path('marks')
  const lost = proxy.loseAnswerTo('"exitCode":0')
  await send(ada, SESSION, `run: echo once >> ${marks}`)
  await lost
  const ended = await turnsEnd(ada, 1)
  expect(ended).toMatchObject({ statuses: ['DONE'], interrupted: 0 })
  expect(await cluster.lines('marks')).toEqual(['once'])
  expect(ended.seqs).toEqual([...new Set(ended.seqs)].sort((a, b) => a - b))
})

test('a command whose start was committed and never confirmed is not started later: it counts as interrupted', async () => {
  await using stage = await beginStage()
  const { cluster, proxy, ada } = stage
  const lost = proxy.loseAnswerTo('"status":"RUNNING"')
  await send(ada, SESSION, `run: echo never >> ${cluster.path('marks')}`)
  await lost
  expect(await turnsEnd(ada, 1)).toMatchObject({ statuses: ['DONE'], interrupted: 1 })
  expect(await cluster.lines('marks')).toEqual([])
})

test('an event whose task could not be loaded is shown when it can be: a subscriber never gets less', async () => {
  await using stage = await beginStage()
  const { proxy, ada } = stage
  await send(ada, SESSION, 'run: echo begun; sleep 0.3')
  // Not by the client library: it would come back after an error.
  await using watch = ada.watch(WatchSessionDocument, { sessionId: SESSION, after: 0 })
  const lost = proxy.loseAnswerTo('"public"."tasks"')
  await lost
  await turnEnd(watch)
  // Pieces of text leave the log, but not before they were shown to those who watched.
  const pieces = eventsOf(watch, 'TextDeltaEvent')
  const seen = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
  const lasting = seen.filter((seq) => !pieces.some((piece) => piece.seq === seq))
  expect(lasting).toEqual((await turnsEnd(ada, 1)).seqs)
})

test('a server that is stopped meanwhile leaves all the same, and its turn goes on at the next start', async () => {
  await using stage = await beginStage()
  const { cluster, proxy, server, ada } = stage
  await send(ada, SESSION, `run: echo once >> ${cluster.path('marks')}; echo begun; sleep 600`)
  await using watch = watchAll(ada, SESSION)
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  proxy.cut()
  server.signal('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, signal: null })
  const next = clientOf(await cluster.start(), 'ada')
  expect(await turnsEnd(next, 1)).toMatchObject({ statuses: ['DONE'], interrupted: 1 })
  expect(await cluster.lines('marks')).toEqual(['once'])
})
