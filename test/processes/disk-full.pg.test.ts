/**
 * The database's disk runs full. Nobody is told that something was stored which was not, and when there is space, work
 * goes on.
 */
import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { SendMessageDocument, SessionPageDocument } from '../generated/graphql.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { SmallDiskPostgres } from '../harness/small-disk-postgres.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

const SESSION = 'cli:full'
/** Far more than the free space of a page. */
const LARGE = Array.from({ length: 20_000 }, (_, index) => `word ${index}`).join(' ')

const sandbox = await findSandbox()

describe.skipIf(!sandbox.available)(`on a disk of 32 MB${skipReason(sandbox)}`, () => {
  test('what does not fit is refused with a code, and a turn that could not write goes on later', async () => {
    await using cluster = await Cluster.begin()
    await using postgres = await SmallDiskPostgres.start(cluster.home)
    const server = await cluster.start({ databaseUrl: postgres.url })
    const ada = clientOf(server, 'ada')
    const [marks, go] = [cluster.path('marks'), cluster.path('go')]
    const much = 'head -c 300000 /dev/urandom | base64 -w 100'
    await send(ada, SESSION, `run: echo once >> ${marks}; echo begun; until [ -e ${go} ]; do sleep 0.02; done; ${much}`)
    await using watch = watchAll(ada, SESSION)
    await watch.until(({ sessionEvents: event }) => event.__typename === 'TaskOutputEvent')

    await postgres.fill()
    const input = { sessionId: SESSION, content: `run: echo then >> ${marks}\n${LARGE}`, idempotencyKey: 'large' }
    const refused = await ada.request(SendMessageDocument, { input })
    expect(refused.errors.map(({ extensions }) => extensions?.['code'])).toEqual(['STORAGE_FULL'])
    await writeFile(go, '')
    await server.logged('the turn can no longer write; it stops')
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    const { session } = await ada.run(SessionPageDocument, { id: SESSION })
    expect(session?.messages.edges.map(({ node }) => node.status)).toEqual(['PROCESSING'])

    await postgres.clear()
    const { sendMessage } = await ada.run(SendMessageDocument, { input })
    expect(sendMessage).toMatchObject({ __typename: 'SendMessagePayload', duplicate: false })
    expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
    expect(await turnEnd(watch, 2)).toMatchObject({ turnStatus: 'DONE' })
    expect(await cluster.lines('marks')).toEqual(['once', 'then'])
    const seqs = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    expect(eventsOf(watch, 'TaskUpdateEvent').filter(({ taskStatus }) => taskStatus === 'INTERRUPTED')).toHaveLength(1)
  })
})
