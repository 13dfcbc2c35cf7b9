/**
 * A standby is promoted, and both hosts stand in DATABASE_URL: the server finds the one that takes writes by itself.
 * `npm run test:failover` does it with several processes under load.
 */
import { expect, test } from 'vitest'
import { StandbyPair } from '../failover/standby-pair.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

test.skipIf(!StandbyPair.isInstalled)(
  'after a promotion what was accepted is there, and all goes on',
  async () => {
    await using folder = await createTemporaryHome()
    await using pair = await StandbyPair.start(folder.path)
    await using cluster = await Cluster.begin({ databaseUrl: pair.bothUrl })
    const server = await cluster.start()
    const ada = clientOf(server, 'ada')
    await using watch = watchAll(ada, 'cli:promoted')
    await send(ada, 'cli:promoted', 'run: echo before')
    await turnEnd(watch)
    await pair.killPrimary()
    // Refused while only the standby is there; the client sends again until it is answered.
    const sent = send(ada, 'cli:promoted', 'run: echo after')
    await server.logged('database connection lost; the pool opens another')
    await pair.promoteStandby()
    expect((await sent).duplicate).toBe(false)
    await turnEnd(watch, 2)
    expect(eventsOf(watch, 'TurnCompletedEvent').map(({ turnStatus }) => turnStatus)).toEqual(['DONE', 'DONE'])
    const seqs = watch.received.map(({ sessionEvents }) => sessionEvents.seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  },
  120_000,
)
