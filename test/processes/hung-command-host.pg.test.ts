/** The process that starts commands hangs: the turn's limit, its cancelling and the server's end hold all the same. */
import { expect, test } from 'vitest'
import { must } from '../../src/platform/must.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { Lifeline } from '../harness/lifeline.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { CancelTurnDocument } from '../generated/graphql.ts'
import { hostOf } from '../sandbox/host-of.ts'

/** Sends a command that does not end, and lets the host hang when it runs. */
async function hangIn(server: ServerProcess, lifeline: Lifeline) {
  const ada = clientOf(server, 'ada')
  await send(ada, 'cli:hung', `run: ${lifeline.hold}; echo begun; sleep 600`)
  const watch = watchAll(ada, 'cli:hung')
  await lifeline.held
  await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  process.kill(must(hostOf(server.pid), 'the server has a host'), 'SIGSTOP')
  return watch
}

async function readinessOf(server: ServerProcess): Promise<number> {
  return (await fetch(`${server.url}/ready`)).status
}

test('its command is timed out as ever; /ready shows it until there is another host, which runs the next command', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { exec_timeout: 3 } } })
  await using lifeline = await Lifeline.open()
  const server = await cluster.start()
  expect(await readinessOf(server)).toBe(200)
  await using watch = await hangIn(server, lifeline)
  await expect.poll(() => readinessOf(server), { interval: 50 }).toBe(503)
  await lifeline.released
  await turnEnd(watch)
  const failed = eventsOf(watch, 'TaskUpdateEvent').find(({ taskStatus }) => taskStatus === 'FAILED')
  expect(failed?.task).toMatchObject({
    output: 'begun\n',
    stderr: 'The command was ended: it ran longer than 3 s.',
  })
  await expect.poll(() => readinessOf(server), { interval: 50 }).toBe(200)
  await send(clientOf(server, 'ada'), 'cli:hung', 'run: echo again')
  expect((await turnEnd(watch, 2)).turnStatus).toBe('DONE')
  expect(eventsOf(watch, 'TaskOutputEvent').at(-1)?.text).toBe('again\n')
})

test('a turn is cancelled, and a command that nothing else would have ended is interrupted', async () => {
  await using cluster = await Cluster.begin()
  const server = await cluster.start()
  await using cancelled = await Lifeline.open()
  await using watch = await hangIn(server, cancelled)
  await clientOf(server, 'ada').run(CancelTurnDocument, { sessionId: 'cli:hung' })
  await cancelled.released
  expect((await turnEnd(watch)).turnStatus).toBe('CANCELLED')

  await using interrupted = await Lifeline.open()
  await using next = await hangIn(server, interrupted)
  await interrupted.released
  expect((await turnEnd(next, 2)).turnStatus).toBe('DONE')
  const statuses = eventsOf(next, 'TaskUpdateEvent').map(({ taskStatus }) => taskStatus)
  expect(statuses).toContain('INTERRUPTED')
})

test('a server that is asked to stop does, and another one goes on', async () => {
  await using cluster = await Cluster.begin({ config: { settings: { drain_timeout: 0.2 } } })
  await using lifeline = await Lifeline.open()
  const leaving = await cluster.start()
  await using watch = await hangIn(leaving, lifeline)
  leaving.signal('SIGTERM')
  expect(await leaving.ended).toEqual({ code: 0, signal: null })
  await lifeline.released
  const staying = await cluster.start()
  const last = watch.received.at(-1)?.sessionEvents.seq
  await using resumed = watchAll(clientOf(staying, 'ada'), 'cli:hung', last)
  expect((await turnEnd(resumed)).turnStatus).toBe('DONE')
  const statuses = eventsOf(resumed, 'TaskUpdateEvent').map(({ taskStatus }) => taskStatus)
  expect(statuses).toContain('INTERRUPTED')
})
