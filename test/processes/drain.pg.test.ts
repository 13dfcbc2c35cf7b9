/**
 * SIGTERM: a process takes no more turns, lets the running ones end or hands them over, and leaves. Clients lose
 * nothing.
 */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { askOperators } from '../harness/ask-operators.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { TurnDocument, WatchSessionDocument } from '../generated/graphql.ts'

const DRAINING = 'draining: waiting for running turns'

async function readinessOf(server: ServerProcess): Promise<{ status: number; accepting: unknown }> {
  const response = await askOperators(server.url, '/ready')
  const { checks } = (await response.json()) as { checks: { accepting: unknown } }
  return { status: response.status, accepting: checks.accepting }
}

test('a turn that ends in time ends normally and is seen to the end; what comes meanwhile is accepted and runs elsewhere', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { drain_timeout: 60 } } })
  const leaving = await cluster.start()
  const ada = clientOf(leaving, 'ada')
  await send(ada, 'cli:running', `run: echo begun; until [ -e ${cluster.path('go')} ]; do sleep 0.02; done; echo ended`)
  await using watch = ada.watch(WatchSessionDocument, { sessionId: 'cli:running', after: 0 })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const staying = await cluster.start()
  expect(await readinessOf(leaving)).toMatchObject({ status: 200, accepting: { ok: true } })

  leaving.signal('SIGTERM')
  await leaving.logged(DRAINING)
  expect(await readinessOf(leaving)).toMatchObject({ status: 503, accepting: { ok: false } })
  expect((await fetch(`${leaving.url}/health`)).status).toBe(200)

  await send(ada, 'cli:other', 'run: echo elsewhere')
  await using other = watchAll(ada, 'cli:other')
  expect(await turnEnd(other)).toMatchObject({ turnStatus: 'DONE' })
  await send(ada, 'cli:running', 'run: echo queued')
  await using queued = watchAll(clientOf(staying, 'ada'), 'cli:running')

  await writeFile(cluster.path('go'), '')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'TaskOutputEvent').map(({ text }) => text)).toEqual(['begun\n', 'ended\n'])
  expect(await watch.ended).toMatch(/^1001 GOING_AWAY/)
  expect(await leaving.ended).toEqual({ code: 0, signal: null })
  expect(leaving.logs.filter(({ msg }) => msg === 'turn begins')).toHaveLength(1)

  expect(await turnEnd(queued, 2)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(queued, 'TaskUpdateEvent').some(({ taskStatus }) => taskStatus === 'INTERRUPTED')).toBe(false)
})

test('a process that leaves waits for clients that are served, not for a connection that was never used', async () => {
  await using cluster = await Cluster.begin()
  const leaving = await cluster.start()
  const inAdvance = connect(Number(new URL(leaving.url).port), '127.0.0.1')
  await once(inAdvance, 'connect')
  expect((await fetch(`${leaving.url}/health`)).status).toBe(200)

  leaving.signal('SIGTERM')
  expect(await leaving.ended).toEqual({ code: 0, signal: null })
  expect(leaving.logs.map(({ msg }) => msg)).not.toContain('clients did not leave in time: their connections are cut')
})

test('a turn that does not end in time is handed over: its command is ended, and another process goes on', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { drain_timeout: 0.2 } } })
  const leaving = await cluster.start()
  const ada = clientOf(leaving, 'ada')
  const marks = cluster.path('marks')
  await send(ada, 'cli:long', `run: echo began >> ${marks}; echo begun; sleep 600 & wait; echo survived >> ${marks}`)
  await using watch = ada.watch(WatchSessionDocument, { sessionId: 'cli:long', after: 0 })
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  const staying = await cluster.start()

  leaving.signal('SIGTERM')
  expect(await watch.ended).toMatch(/^1001 GOING_AWAY/)
  expect(await leaving.ended).toEqual({ code: 0, signal: null })
  const last = watch.received.at(-1)?.sessionEvents.seq
  await using resumed = watchAll(clientOf(staying, 'ada'), 'cli:long', last)
  const { turnId, turnStatus } = await turnEnd(resumed)
  expect(turnStatus).toBe('DONE')
  // That it was interrupted may be told before it is judged.
  const { turn } = await clientOf(staying, 'ada').run(TurnDocument, { id: turnId ?? '' })
  const [first] = turn?.plans ?? []
  expect(first?.tasks[0]).toMatchObject({ status: 'INTERRUPTED', output: 'begun\n', review: { verdict: 'REPLAN' } })
  expect(await cluster.lines('marks')).toEqual(['began'])
})

test('alone, it hands over to its own next start; a second signal does not wait', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { drain_timeout: 60 } } })
  const leaving = await cluster.start()
  await send(clientOf(leaving, 'ada'), 'cli:alone', 'run: echo begun; sleep 600')
  await using watch = watchAll(clientOf(leaving, 'ada'), 'cli:alone')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  leaving.signal('SIGTERM')
  await leaving.logged(DRAINING)
  leaving.signal('SIGTERM')
  expect(await leaving.ended).toEqual({ code: 1, signal: null })

  const next = await cluster.start()
  await using resumed = watchAll(clientOf(next, 'ada'), 'cli:alone')
  expect(await turnEnd(resumed)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(resumed, 'TaskUpdateEvent').map(({ taskStatus }) => taskStatus)).toContain('INTERRUPTED')
})
