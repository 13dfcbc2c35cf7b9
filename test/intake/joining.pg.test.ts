/**
 * Joining and interrupting at the worst moment: a statement has to wait for another on the session's row, and finds the
 * rows changed. And a queue of whatever kind, worked off by the statements: nothing is lost, and nothing comes twice.
 */
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../harness/rounds.ts'
import { messagesToJoin } from '../../src/core/session/join-messages.ts'
import { cancelTurn } from '../../src/intake/message/cancel-turn.ts'
import { editQueuedMessage } from '../../src/intake/message/edit-queued-message.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { withdrawMessage } from '../../src/intake/message/withdraw-message.ts'
import { must } from '../../src/platform/must.ts'
import { findWaiting, joinTurns, loadJoined, type JoinedMessage } from '../../src/store/turn/join-turns.ts'
import type { Lease, TurnRef } from '../../src/store/turn/lease.ts'
import { commitTurn } from '../../src/store/turn/turn-commit.ts'
import { createWorld, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

type Name = Parameters<World['as']>[0]

async function send(sessionId: string, content: string, { as = 'bob', on = world }: { as?: Name; on?: World } = {}) {
  const sent = await sendMessage(on.context, on.as(as), { sessionId, content })
  if (sent.kind !== 'Accepted') throw new Error(JSON.stringify(sent))
  return sent.messageId
}

async function leaseOf(sessionId: string): Promise<Lease> {
  const [row] = await world.sql<{ epoch: number }>('SELECT epoch FROM sessions WHERE id = $1', sessionId)
  return { sessionId, node: 1, epoch: must(row, 'there is the session').epoch }
}

/** The turn takes along all that wait. */
async function joinAll(turn: TurnRef, lease: Lease, attempt = 0): Promise<readonly JoinedMessage[]> {
  const { database } = world.context
  const turnIds = (await findWaiting(database, lease.sessionId)).map(({ turnId }) => turnId)
  return (await joinTurns(database, { lease, turn }, { turnIds, attempt, at: new Date() })).joined
}

async function begun(sessionId: string): Promise<{ readonly turn: TurnRef; readonly lease: Lease }> {
  const { turn } = must(await world.begin(sessionId), 'a turn waits')
  return { turn, lease: await leaseOf(sessionId) }
}

const statuses = (sessionId: string) =>
  world.sql(
    `SELECT m.content, m.status AS message, t.status AS turn, t.joined_attempt AS attempt FROM messages m
      JOIN turns t ON t.message_id = m.id WHERE m.session_id = $1 ORDER BY m.seq`,
    sessionId,
  )
const session = async (id: string) =>
  (await world.sql('SELECT queue_length, last_seq, owner, status FROM sessions WHERE id = $1', id))[0]

test('a message that is withdrawn meanwhile does not join, and one that is edited joins as it is now', async () => {
  await send('@bob:join', 'leads')
  const [edited, withdrawn] = [await send('@bob:join', 'edited'), await send('@bob:join', 'withdrawn')]
  const { turn, lease } = await begun('@bob:join')
  const [, joined] = await world.interleave(
    async (first) => {
      await editQueuedMessage(first.context, first.as('bob'), { id: edited, content: 'better' })
      await withdrawMessage(first.context, first.as('bob'), { id: withdrawn })
    },
    () => joinAll(turn, lease),
  )
  expect(joined).toMatchObject([{ messageId: edited, content: 'better', attempt: 0 }])
  expect(await statuses('@bob:join')).toEqual([
    { content: 'leads', message: 'PROCESSING', turn: 'RUNNING', attempt: null },
    { content: 'better', message: 'PROCESSING', turn: 'JOINED', attempt: 0 },
    { content: 'withdrawn', message: 'CANCELLED', turn: 'CANCELLED', attempt: null },
  ])
  expect(await session('@bob:join')).toMatchObject({ queue_length: 0 })
  const log = await world.log('@bob:join')
  expect(log.map((line) => Number(line.split(' ')[0]))).toEqual(log.map((_, at) => at + 1))
})

test('a turn that is to be cancelled takes nothing along: what waits gets a turn of its own', async () => {
  await send('@bob:instead', 'leads')
  await send('@bob:instead', 'added')
  const { turn, lease } = await begun('@bob:instead')
  const [, joined] = await world.interleave(
    (first) => cancelTurn(first.context, first.as('bob'), { sessionId: '@bob:instead' }),
    () => joinAll(turn, lease),
  )
  expect(joined).toEqual([])
  await send('@bob:instead', 'instead')
  expect(await joinAll(turn, lease)).toEqual([])
  expect(await statuses('@bob:instead')).toEqual([
    { content: 'leads', message: 'PROCESSING', turn: 'RUNNING', attempt: null },
    { content: 'added', message: 'QUEUED', turn: 'QUEUED', attempt: null },
    { content: 'instead', message: 'QUEUED', turn: 'QUEUED', attempt: null },
  ])
})

test('a message cannot be changed any more once it has joined, nor join twice; who lost the lease takes nothing', async () => {
  await send('@bob:twice', 'leads')
  const id = await send('@bob:twice', 'follows')
  const { turn, lease } = await begun('@bob:twice')
  const [turnId] = (await findWaiting(world.context.database, '@bob:twice')).map((waiting) => waiting.turnId)
  const joining = { turnIds: [must(turnId, 'one waits')], attempt: 0, at: new Date() }
  const lost = { lease: { ...lease, epoch: lease.epoch - 1 }, turn }
  await expect(joinTurns(world.context.database, lost, joining)).rejects.toMatchObject({ code: 'LEASE_LOST' })
  expect((await joinTurns(world.context.database, { lease, turn }, joining)).joined).toHaveLength(1)
  const again = await joinTurns(world.context.database, { lease, turn }, joining)
  expect(again).toEqual({ joined: [], events: [] })
  expect(await editQueuedMessage(world.context, world.as('bob'), { id, content: 'late' })).toMatchObject({
    kind: 'Conflict',
  })
  expect(await withdrawMessage(world.context, world.as('bob'), { id })).toMatchObject({ kind: 'Conflict' })
})

test('what waits again when its turn has failed is next, before what came later; the session stays with its node', async () => {
  await send('@bob:again', 'leads')
  await send('@bob:again', 'added')
  const { turn, lease } = await begun('@bob:again')
  const [added] = await joinAll(turn, lease, 1)
  await send('@bob:again', 'came later')
  const { turnId, messageId } = must(added, 'it joined')
  const joined = [{ turnId, messageId, status: 'QUEUED' }] as const
  const finish = { status: 'FAILED', failure: 'No.', at: new Date(), joined } as const
  const committed = await commitTurn(world.context.database, { lease, turn }, { events: [], finish })
  expect(committed.released).toBe(false)
  expect(await statuses('@bob:again')).toEqual([
    { content: 'leads', message: 'FAILED', turn: 'FAILED', attempt: null },
    { content: 'added', message: 'QUEUED', turn: 'QUEUED', attempt: null },
    { content: 'came later', message: 'QUEUED', turn: 'QUEUED', attempt: null },
  ])
  expect(await session('@bob:again')).toMatchObject({ queue_length: 2, owner: 1, status: 'RUNNING' })
  expect(await loadJoined(world.context.database, turn.id)).toEqual([])
  expect((await world.begin('@bob:again'))?.turn).toMatchObject({ id: turnId, content: 'added', resumed: false })
})

test('a message that waits for the start of a turn cancels this turn, and one that waits for its end does not', async () => {
  const open = (id: string) => openSession(world.context, world.as('bob'), { id, busyPolicy: 'INTERRUPT' })
  const cancelled = (id: string) =>
    world.sql('SELECT cancel_requested FROM turns WHERE session_id = $1 ORDER BY seq', id)
  await open('@bob:starts')
  await send('@bob:starts', 'first')
  await world.interleave(
    (first) => first.begin('@bob:starts'),
    () => send('@bob:starts', 'second'),
  )
  expect(await cancelled('@bob:starts')).toEqual([{ cancel_requested: true }, { cancel_requested: false }])
  expect(world.rung).toContainEqual(expect.objectContaining({ kind: 'cancel', sessionId: '@bob:starts' }))

  await open('@bob:ends')
  await send('@bob:ends', 'first')
  const started = must(await world.begin('@bob:ends'), 'a turn waits')
  await world.interleave(
    (first) => started.end('DONE', first),
    () => send('@bob:ends', 'second'),
  )
  expect(await cancelled('@bob:ends')).toEqual([{ cancel_requested: false }, { cancel_requested: false }])
  expect(world.rung).not.toContainEqual(expect.objectContaining({ kind: 'cancel', sessionId: '@bob:ends' }))
})

test('a queue of several people is worked off: nothing is lost, nothing comes twice, nobody gets the text of another', async () => {
  const { database } = world.context
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom<Name>('alice', 'bob'), { minLength: 1, maxLength: 8 }),
      async (people) => {
        const id = `s:queue-${run++}`
        await openSession(world.context, world.as('alice'), { id, participants: ['bob'] })
        for (const [at, as] of people.entries()) await send(id, `${as} ${at}`, { as })
        const served: string[][] = []
        for (let next = await world.begin(id); next !== null; next = await world.begin(id)) {
          const { turn } = next
          const lease = await leaseOf(id)
          const soFar = { userName: turn.userName, client: turn.tokenName, bytes: turn.content.length }
          const turnIds = messagesToJoin(soFar, await findWaiting(database, id)).map(({ turnId }) => turnId)
          const { joined } = await joinTurns(database, { lease, turn }, { turnIds, attempt: 0, at: new Date() })
          served.push([turn.content, ...joined.map(({ content }) => content)])
          const ends = joined.map(({ turnId, messageId }) => ({ turnId, messageId, status: 'DONE' }) as const)
          const finish = { status: 'DONE', failure: null, at: new Date(), joined: ends } as const
          await commitTurn(database, { lease, turn }, { events: [], finish })
        }
        const texts = people.map((as, at) => `${as} ${at}`)
        const expected = [...new Set(people)].map((as) => texts.filter((text) => text.startsWith(as)))
        expect(served).toEqual(expected)
        expect(await session(id)).toMatchObject({ queue_length: 0, status: 'IDLE' })
      },
    ),
    { numRuns: rounds(6, 15) },
  )
})
