import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEventBody } from '../../src/core/session-event.ts'
import {
  appendEvents,
  createDoorWorld,
  createSession,
  output,
  step,
  tokenOf,
  type Door,
  type DoorWorld,
} from './door-world.ts'
import { FOLLOW, watchEvents, watchWebSocket, type Watch, type WatchRequest } from './watch.ts'

/** Two processes over one database. */
let world: DoorWorld
let here: Door
let there: Door
beforeAll(async () => {
  world = await createDoorWorld()
  here = await world.openDoor()
  there = await world.openDoor()
})
afterAll(() => world[Symbol.asyncDispose]())

let lastSession = 0
async function newSession(...participants: string[]): Promise<string> {
  const id = `cli:s${(lastSession += 1)}`
  await createSession(here.database, id, participants)
  return id
}

const token = tokenOf('alice')
const follow = (id: string, after?: number | null): WatchRequest => ({ query: FOLLOW, variables: { id, after }, token })
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, n) => first + n)
const codeOf = (watch: Watch): unknown => watch.results[0]?.errors?.[0]?.extensions?.['code']

function bodies(count: number): SessionEventBody[] {
  return Array.from({ length: count }, (_, n) => output(`text ${n}`))
}

describe.each([
  ['WebSocket', (door: Door, request: WatchRequest) => watchWebSocket(door.webSocketUrl, request)],
  ['server-sent events', (door: Door, request: WatchRequest) => watchEvents(door.url, request)],
])('over %s', (_transport, watch) => {
  test('replays what the log holds after the cursor, then follows, in order, nothing missing, nothing twice', async () => {
    const id = await newSession()
    await here.append(id, ...bodies(700))
    const watches = [0, 3, 250, 699, 700].map((after) => ({ after, watch: watch(here, follow(id, after)) }))
    for (let n = 0; n < 50; n += 1) await (n % 2 === 0 ? here : there).append(id, output('a'), output('b'))
    for (const { after, watch } of watches) {
      await watch.count(800 - after)
      expect(watch.seqs).toEqual(upTo(800, after + 1))
      watch.close()
    }
  })

  test('without a cursor it starts with a snapshot, then what comes after it', async () => {
    const id = await newSession()
    await here.append(id, output('before'))
    const subscription = watch(here, follow(id))
    await subscription.count(1)
    await there.append(id, output('after'))
    await subscription.count(2)
    expect(subscription.results.map(({ data }) => data?.['sessionEvents'])).toEqual([
      { __typename: 'SessionSnapshot', seq: 1 },
      { __typename: 'TaskOutputEvent', seq: 2, text: 'after' },
    ])
    subscription.close()
  })

  test('a narrow view shows its events only, and needs no snapshot', async () => {
    const id = await newSession()
    await here.append(id, step('one'), output('x'), step('two'))
    const query = 'subscription($id: ID!, $after: Int) { pipelineSteps(sessionId: $id, after: $after) { seq detail } }'
    const steps = watch(here, { query, variables: { id, after: 0 }, token })
    await steps.count(2)
    await here.append(id, output('y'), step('three'))
    await steps.count(3)
    expect(steps.seqs).toEqual([1, 3, 5])
    steps.close()
  })

  test('an event that another process appended arrives; also when its notification is lost', async () => {
    const id = await newSession()
    const subscription = watch(here, follow(id, 0))
    await there.append(id, output('told'))
    await subscription.count(1)
    await appendEvents(there.database, id, [output('not told')])
    await subscription.count(2)
    expect(subscription.seqs).toEqual([1, 2])
    subscription.close()
  })

  test('goes on elsewhere when its server stops', async () => {
    const id = await newSession()
    const leaving = await world.openDoor()
    const first = watch(leaving, follow(id, 0))
    await leaving.append(id, ...bodies(3))
    await first.count(3)
    await leaving.server.stop()
    expect(await first.ended).toMatch(/^(1001|cut)/)
    await here.append(id, ...bodies(3))
    const second = watch(here, follow(id, first.seqs.at(-1) ?? 0))
    await second.count(3)
    expect([...first.seqs, ...second.seqs]).toEqual(upTo(6))
    second.close()
  })

  test('pieces that were deleted from the log meanwhile leave a gap, nothing else', async () => {
    const id = await newSession()
    await here.append(id, ...bodies(9))
    await here.database.query(
      { name: 'test.thin', text: 'DELETE FROM events WHERE session_id = $1 AND seq BETWEEN 3 AND 9' },
      [id],
    )
    const subscription = watch(there, follow(id, 0))
    await here.append(id, output('whole'))
    await subscription.count(3)
    expect(subscription.seqs).toEqual([1, 2, 10])
    subscription.close()
  })

  test('refuses cursors that are none', async () => {
    const id = await newSession()
    await here.append(id, output('x'))
    const beyond = watch(here, follow(id, 5))
    await beyond.ended
    expect(codeOf(beyond)).toBe('BAD_USER_INPUT')
    expect(beyond.results[0]?.errors?.[0]?.message).toContain('ends at 1')
    const negative = watch(here, follow(id, -1))
    await negative.ended
    expect(codeOf(negative)).toBe('BAD_USER_INPUT')
  })

  test('sessions that one may not see look absent', async () => {
    const id = await newSession('bob')
    const own = (namespace: string): string => ` Sessions that you open have ids that begin with "${namespace}:".`
    for (const [name, sessionId, hint] of [
      ['carol', id, own('@carol')],
      ['discord', id, own('discord')],
      ['bob', 'cli:none', own('@bob')],
      ['alice', 'cli:none', ''],
    ] as const) {
      // From its beginning, one that may be opened is waited for (test/stories/lists.pg.test.ts).
      const subscription = watch(here, { ...follow(sessionId, 1), token: tokenOf(name) })
      await subscription.ended
      expect(subscription.results[0]?.errors?.[0]).toMatchObject({
        message: `There is no session "${sessionId}" that you may see.${hint}`,
        extensions: { code: 'NOT_FOUND' },
      })
    }
  })

  test('ends for a participant who is removed, within the session as it goes on for others', async () => {
    const id = await newSession('bob', 'carol')
    const bob = watch(here, { ...follow(id, 0), token: tokenOf('bob') })
    const carol = watch(here, { ...follow(id, 0), token: tokenOf('carol') })
    await here.append(id, output('both'))
    await Promise.all([bob.count(1), carol.count(1)])
    await here.database.prisma.participant.delete({ where: { sessionId_userName: { sessionId: id, userName: 'bob' } } })
    await there.append(id, { type: 'SessionUpdated' })
    const reason = await bob.ended
    expect(reason + JSON.stringify(bob.results)).toContain('NOT_FOUND')
    await there.append(id, output('carol only'))
    await carol.count(3)
    expect(bob.results.length).toBeLessThanOrEqual(3)
    carol.close()
  })

  test('ends when the session is deleted, on every process', async () => {
    const id = await newSession()
    const watches = [watch(here, follow(id, 0)), watch(there, follow(id, 0))]
    await here.append(id, output('x'))
    for (const one of watches) await one.count(1)
    const response = await fetch(`${here.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: `mutation { deleteSession(input: { id: "${id}" }) { __typename } }` }),
    })
    expect(await response.text()).toContain('DeleteSessionPayload')
    for (const one of watches) expect((await one.ended) + JSON.stringify(one.results)).toContain('was deleted')
  })
})

test('events that were notified while the doorbell had no connection arrive as soon as it has one', async () => {
  const id = await newSession()
  const subscription = watchWebSocket(here.webSocketUrl, follow(id, 0))
  await there.append(id, output('before'))
  await subscription.count(1)
  const killAll = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'factotum doorbell' AND datname = current_database()`
  await there.database.query({ name: 'test.kill', text: killAll }, [])
  await there.append(id, ...bodies(5))
  await subscription.count(6)
  await there.append(id, output('again'))
  await subscription.count(7)
  expect(subscription.seqs).toEqual(upTo(7))
  subscription.close()
})

test('a session that was deleted and opened anew under the same id is not taken for the old one', async () => {
  const id = await newSession()
  await here.append(id, ...bodies(5))
  const old = watchWebSocket(there.webSocketUrl, follow(id, 0))
  await old.count(5)
  await here.database.prisma.session.delete({ where: { id } })
  await createSession(here.database, id)
  expect(await old.ended).toContain('was deleted')
  const anew = watchWebSocket(there.webSocketUrl, follow(id, 0))
  await here.append(id, output('first'))
  await anew.count(1)
  expect(anew.seqs).toEqual([1])
  anew.close()
})

describe('sharing', () => {
  const executions = (door: Door): Promise<number> => door.metric('factotum_event_executions_total')

  test('an event is executed once for all who see the same, and again for each other class or selection', async () => {
    const id = await newSession('bob', 'carol')
    const watches = [
      ...Array.from({ length: 30 }, () => watchWebSocket(here.webSocketUrl, follow(id, 0))),
      ...Array.from({ length: 10 }, () => watchEvents(here.url, follow(id, 0))),
      watchWebSocket(here.webSocketUrl, { ...follow(id, 0), token: tokenOf('bob') }),
      watchWebSocket(here.webSocketUrl, { ...follow(id, 0), token: tokenOf('carol') }),
      watchWebSocket(here.webSocketUrl, { ...follow(id, 0), query: `${FOLLOW} # another` }),
    ]
    await here.append(id, output('x'))
    for (const one of watches) await one.count(1)
    const before = await executions(here)
    await here.append(id, ...bodies(20))
    for (const one of watches) await one.count(21)
    expect((await executions(here)) - before).toBe(20 * 3)
    for (const one of watches) {
      expect(one.seqs).toEqual(upTo(21))
      one.close()
    }
  })

  test('clients that reconnect with the same cursor share the replay', async () => {
    const id = await newSession()
    await here.append(id, ...bodies(100))
    const first = watchWebSocket(here.webSocketUrl, follow(id, 100))
    const before = await executions(here)
    const watches = Array.from({ length: 40 }, () => watchWebSocket(here.webSocketUrl, follow(id, 40)))
    for (const one of watches) await one.count(60)
    // The first may be alone when it starts: then what it executes is not kept.
    expect((await executions(here)) - before).toBeLessThanOrEqual(2 * 60)
    for (const one of [first, ...watches]) one.close()
  })
})

test('many sessions, many subscribers: nobody gets a byte of another session', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => newSession()))
  const watches = ids.flatMap((id) => [
    { id, watch: watchWebSocket(here.webSocketUrl, follow(id, 0)) },
    { id, watch: watchEvents(there.url, follow(id, 0)) },
  ])
  await Promise.all(
    ids.map(async (id, index) => {
      for (let n = 0; n < 40; n += 1) await (index % 2 === 0 ? here : there).append(id, output(`canary ${id} ${n}`))
    }),
  )
  for (const { id, watch } of watches) {
    await watch.count(40)
    expect(watch.results.map(({ data }) => data?.['sessionEvents']?.['text'])).toEqual(
      upTo(39, 0).map((n) => `canary ${id} ${n}`),
    )
    watch.close()
  }
})

describe('session updates', () => {
  const query = 'subscription { sessionUpdates { readList session { id messageCount } } }'
  const changesOf = (watch: Watch): { readList?: boolean; session?: { id: string } | null }[] =>
    watch.results.map(({ data }) => data?.['sessionUpdates'] ?? {})
  const idsOf = (watch: Watch): string[] => changesOf(watch).flatMap(({ session }) => session?.id ?? [])

  test('tell of sessions that one may see, coalesced, from every process', async () => {
    const mine = await newSession('bob')
    const others = await newSession('carol')
    const bob = watchWebSocket(here.webSocketUrl, { query, token: tokenOf('bob') })
    const alice = watchEvents(here.url, { query, token: tokenOf('alice') })
    await Promise.all([bob.count(1), alice.count(1)])
    expect([...changesOf(bob), ...changesOf(alice)].map(({ readList }) => readList)).toEqual([true, true])
    for (let n = 0; n < 200; n += 1) await there.append(others, { type: 'SessionUpdated' }, output('no list field'))
    await here.append(mine, { type: 'SessionUpdated' })
    await bob.count(2)
    while (new Set(idsOf(alice)).size < 2) await setImmediate()
    expect(new Set(idsOf(bob))).toEqual(new Set([mine]))
    expect(new Set(idsOf(alice))).toEqual(new Set([mine, others]))
    expect(alice.results.length).toBeLessThan(100)
    bob.close()
    alice.close()
  })

  test('say that the list is to be read again, when notifications could not be received for a while', async () => {
    const door = await world.openDoor()
    const bob = watchWebSocket(door.webSocketUrl, { query, token: tokenOf('bob') })
    await bob.count(1)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'factotum doorbell' AND datname = current_database()`
    const before = bob.results.length
    await door.database.query({ name: 'test.cut', text: cut }, [])
    await bob.count(before + 1)
    // Once more for each other door that greets this one for the first time.
    for (const change of changesOf(bob)) expect(change).toEqual({ readList: true, session: null })
    bob.close()
  })

  test('leave nothing behind when the client goes while nothing happens', async () => {
    const door = await world.openDoor()
    const watches = [watchWebSocket(door.webSocketUrl, { query, token }), watchEvents(door.url, { query, token })]
    while ((await door.metric('factotum_subscribers')) < 2) await setImmediate()
    for (const one of watches) one.close()
    while ((await door.metric('factotum_subscribers')) > 0) await setImmediate()
    expect(await door.metric('factotum_subscribers')).toBe(0)
  })
})

test('what was removed for its age is given out by no process, although its notification was lost', async () => {
  const id = await newSession()
  const first = watchWebSocket(there.webSocketUrl, follow(id, 0))
  await there.append(id, output('old'), step('new'))
  await first.count(2)
  const remove = {
    name: 'test.remove',
    text: `WITH gone AS (DELETE FROM events WHERE session_id = $1 AND seq = 1)
      UPDATE sessions SET removed_seq = 1 WHERE id = $1`,
  }
  await here.database.query(remove, [id])
  const seen = async (): Promise<readonly number[]> => {
    const late = watchWebSocket(there.webSocketUrl, follow(id, 0))
    await late.count(2)
    late.close()
    return late.seqs
  }
  // A snapshot in its place.
  await expect.poll(seen).toEqual([0, 2])
  first.close()
})
