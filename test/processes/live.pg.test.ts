/**
 * What watchers of a turn see: the whole log, in order, nothing twice, whichever process they are connected to,
 * whatever carries it, and however often they come and go. (How the door delivers, and to whom, is in test/door.)
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient, Watch } from '../harness/api-client.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { eventsOf, send, Story, turnEnd, watchAll } from '../harness/story.ts'
import {
  FollowSessionDocument,
  MessageOutputsDocument,
  PipelineStepsDocument,
  SessionEventsDocument,
  TaskUpdatesDocument,
  WatchSessionDocument,
  type FollowSessionSubscription,
} from '../generated/graphql.ts'

let here: Story
let there: Story
const servers = new AsyncDisposableStack()
beforeAll(async () => {
  here = servers.use(await Story.begin())
  there = servers.use(await Story.begin({ beside: here }))
})
afterAll(() => servers.disposeAsync())

/** Some of everything: output in pieces, a review that is not content, a second plan, a text in pieces. */
const MESSAGE = `run: for n in 1 2 3; do echo line $n; sleep 0.1; done
run: echo twice
fail: to see another plan
${'A long question. '.repeat(60)}`

/** An event in one line. Pieces of text leave the log when the text is whole, so who comes later does not get them. */
function lasting(events: readonly { __typename: string; seq: number; delta?: string | null }[]): string[] {
  return events.filter(({ delta }) => delta == null).map(({ seq, __typename }) => `${seq} ${__typename}`)
}

async function finalLog(client: ApiClient, sessionId: string): Promise<string[]> {
  const { session } = await client.run(SessionEventsDocument, { id: sessionId, after: '0', first: 100 })
  const events = session?.events.edges.map(({ node }) => node) ?? []
  expect(events.length).toBeGreaterThan(30)
  expect(events.at(-1)?.seq).toBe(session?.lastSeq)
  return lasting(events)
}

const transports = ['watch', 'watchSse'] as const

/** A page that is reloaded after every event: it comes back to the other process, by the other transport. */
async function readReloading<Data>(
  subscribe: (after: number, visit: number) => Watch<Data>,
  { seqOf, isLast }: { seqOf: (data: Data) => number; isLast: (data: Data) => boolean },
): Promise<Data[]> {
  const read: Data[] = []
  for (let after = 0; ;) {
    await using watch = subscribe(after, read.length)
    const data = await watch.until(() => true)
    read.push(data)
    if (isLast(data)) return read
    after = seqOf(data)
  }
}

test('watchers on every process see the same turn, also those who come back after every single event', async () => {
  const sessionId = 'cli:reloaded'
  const clients = [here.as('ada'), there.as('ada')]
  await send(here.as('ada'), sessionId, MESSAGE)
  const watches = clients.flatMap((client) =>
    transports.map((transport) => client[transport](WatchSessionDocument, { sessionId, after: 0 })),
  )
  const reloaded = await readReloading(
    (after, visit) => clientAt(clients, visit)[transportAt(visit)](FollowSessionDocument, { sessionId, after }),
    {
      seqOf: ({ sessionEvents }) => sessionEvents.seq,
      isLast: ({ sessionEvents }) => sessionEvents.__typename === 'TurnCompletedEvent',
    },
  )
  for (const watch of watches) await turnEnd(watch)

  const log = await finalLog(here.as('ada'), sessionId)
  for (const watch of watches) {
    expect(lasting(watch.received.map(({ sessionEvents }) => sessionEvents))).toEqual(log)
    await watch.close()
  }
  expect(lasting(reloaded.map(({ sessionEvents }) => sessionEvents))).toEqual(log)
})

test('the narrow views show their part of it, and resume alike', async () => {
  const sessionId = 'cli:narrow'
  const clients = [here.as('ada'), there.as('ada')]
  await send(here.as('ada'), sessionId, MESSAGE)
  const at = (visit: number) => clientAt(clients, visit)
  const [steps, outputs, updates] = await Promise.all([
    readReloading((after, visit) => at(visit)[transportAt(visit)](PipelineStepsDocument, { sessionId, after }), {
      seqOf: (data) => data.pipelineSteps.seq,
      isLast: (data) => data.pipelineSteps.step === 'COMPLETE',
    }),
    readReloading((after, visit) => at(visit)[transportAt(visit)](MessageOutputsDocument, { sessionId, after }), {
      seqOf: (data) => data.messageOutputs.seq,
      isLast: ({ messageOutputs: text }) => text.__typename === 'TextCompletedEvent' && text.final,
    }),
    readReloading((after, visit) => at(visit)[transportAt(visit)](TaskUpdatesDocument, { sessionId, after }), {
      seqOf: (data) => data.sessionEvents.seq,
      isLast: ({ sessionEvents: event }) =>
        event.__typename === 'TaskUpdateEvent' && event.taskStatus === 'DONE' && event.task.final,
    }),
  ])
  await using whole = watchAll(there.as('ada'), sessionId)
  await turnEnd(whole)
  const seqsOf = (name: Parameters<typeof eventsOf>[1]): number[] => eventsOf(whole, name).map(({ seq }) => seq)
  expect(steps.map((data) => data.pipelineSteps.seq)).toEqual(seqsOf('PipelineStepEvent'))
  const changes = updates.filter(({ sessionEvents: event }) => event.__typename !== 'SessionSnapshot')
  expect(changes.map((data) => data.sessionEvents.seq)).toEqual(seqsOf('TaskUpdateEvent'))
  const texts = outputs.flatMap(({ messageOutputs: text }) => (text.__typename === 'TextCompletedEvent' ? [text] : []))
  expect(texts.map(({ seq }) => seq)).toEqual(seqsOf('TextCompletedEvent'))
  expect(texts.map(({ final }) => final)).toEqual([false, true])
})

test('without a cursor the session as it is comes first, and then all that follows it', async () => {
  const sessionId = 'cli:from-now'
  await send(here.as('ada'), sessionId, MESSAGE)
  await using early = watchAll(here.as('ada'), sessionId)
  await early.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')
  await using watch = there.as('ada').watch(WatchSessionDocument, { sessionId })
  await turnEnd(watch)
  const [snapshot, ...rest] = watch.received.map(({ sessionEvents }) => sessionEvents)
  expect(snapshot).toMatchObject({ __typename: 'SessionSnapshot', session: { id: sessionId, status: 'RUNNING' } })
  const from = snapshot?.seq ?? 0
  const log = await finalLog(here.as('ada'), sessionId)
  expect(lasting(rest)).toEqual(log.filter((line) => Number.parseInt(line, 10) > from))
})

test.each(transports)(
  'a server that dies in the middle of a turn and comes back: %s goes on where it was',
  async (by) => {
    const sessionId = 'cli:dies'
    await using cluster = await Cluster.begin()
    const first = await cluster.start()
    await send(clientOf(first, 'ada'), sessionId, `run: echo one\nrun: echo two; sleep 600\n${MESSAGE}`)
    await using before = clientOf(first, 'ada')[by](FollowSessionDocument, { sessionId, after: 0 })
    await before.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent' && event.text === 'two\n')
    await first.kill()
    await before.ended

    const second = clientOf(await cluster.start(), 'ada')
    const after = before.received.at(-1)?.sessionEvents.seq ?? 0
    await using resumed = second[by](FollowSessionDocument, { sessionId, after })
    await resumed.until(({ sessionEvents: event }) => event.__typename === 'TurnCompletedEvent')
    const seen = [...before.received, ...resumed.received].map(({ sessionEvents }) => sessionEvents)
    expect(lasting(seen)).toEqual(await finalLog(second, sessionId))
    expect(seen.map(({ seq }) => seq)).toEqual(ascending(seen))
  },
)

function ascending(events: readonly FollowSessionSubscription['sessionEvents'][]): number[] {
  return [...new Set(events.map(({ seq }) => seq))].sort((a, b) => a - b)
}

function clientAt(clients: readonly ApiClient[], visit: number): ApiClient {
  const client = clients[visit % clients.length]
  if (client === undefined) throw new Error('there are clients')
  return client
}

function transportAt(visit: number): (typeof transports)[number] {
  return visit % 4 < 2 ? 'watch' : 'watchSse'
}
