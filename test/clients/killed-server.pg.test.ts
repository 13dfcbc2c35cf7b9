/** Others' clients, set up as docs/clients has it, over `kill -9` of the server: every event comes once. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { buildSchema, introspectionFromSchema } from 'graphql'
import { requestSubscription, type OperationType } from 'relay-runtime'
import { expect, test } from 'vitest'
import { ChatEventsDocument, type ChatEventsSubscription } from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { lastingPort } from '../harness/lasting-port.ts'
import { converse, send, tokenOf, turnEnd, watchAll } from '../harness/story.ts'
import { createApollo, followChat } from './apollo.ts'
import { openSocket } from './live-socket.ts'
import type { ChatEvent } from './pages/page.ts'
import { compileForRelay } from './relay/compile-for-relay.ts'
import { createRelay } from './relay/create-relay.ts'
import { createUrql } from './urql.ts'

const ID = 'cli:killed'

/** What leaves the log is no part of it: pieces of a text. */
function lasting(events: readonly ChatEvent[]): number[] {
  return events.flatMap(({ __typename: type, seq }) => (type === 'TextDeltaEvent' ? [] : [seq]))
}

test('Apollo, urql and Relay miss nothing and are given nothing twice', async () => {
  const artifact = await compileForRelay()
  await using cluster = await Cluster.begin()
  const first = await cluster.start({ env: { PORT: await lastingPort() } })
  await converse(clientOf(first, 'ada'), ID, 'run: echo one')
  const place = { url: first.url, token: tokenOf('ada'), retryWait: () => pause(50) }
  const socket = openSocket(place)
  const seen: Record<'apollo' | 'urql' | 'relay', ChatEvent[]> = { apollo: [], urql: [], relay: [] }
  const whole = { id: ID, after: 0 }

  const apollo = await createApollo(place, socket)
  followChat(apollo, whole, (event) => seen.apollo.push(event))
  const introspection = introspectionFromSchema(buildSchema(readFileSync('schema.graphql', 'utf8')))
  const urql = createUrql(place, socket, introspection)
  urql.subscription<ChatEventsSubscription>(String(ChatEventsDocument), whole).subscribe(({ data }) => {
    if (data !== undefined) seen.urql.push(data.sessionEvents)
  })
  requestSubscription<OperationType & { response: ChatEventsSubscription }>(createRelay(place, socket), {
    subscription: artifact('ChatEventsSubscription'),
    variables: { ...whole, connections: [] },
    onNext: (data) => data != null && void seen.relay.push(data.sessionEvents),
  })

  const gate = cluster.path('gate')
  await send(clientOf(first, 'ada'), ID, `run: until [ -e ${gate} ]; do echo on; sleep 0.3; done`)
  const writes = (events: readonly ChatEvent[]) => events.filter(({ __typename: type }) => type === 'TaskOutputEvent')
  for (const events of Object.values(seen)) await expect.poll(() => writes(events).length).toBeGreaterThan(2)
  await first.kill()
  await writeFile(gate, '')
  const second = await cluster.start({ env: { PORT: new URL(first.url).port } })
  const ada = clientOf(second, 'ada')
  await converse(ada, ID, 'run: echo three')

  await using watch = watchAll(ada, ID)
  await turnEnd(watch, 3)
  const log = lasting(watch.received.map(({ sessionEvents }) => sessionEvents))
  for (const [name, events] of Object.entries(seen))
    await expect.poll(() => lasting(events), { message: name }).toEqual(log)
  apollo.stop()
  await socket.dispose()
})
