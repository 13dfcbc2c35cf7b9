/**
 * What happens when a statement has to wait for another that is not committed yet, and then finds the rows changed.
 * Every pair that can meet on a session's row is forced to meet here.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addParticipant } from '../../src/intake/session/add-participant.ts'
import { accessOf } from '../../src/intake/authorize-session.ts'
import { cancelTurn } from '../../src/intake/message/cancel-turn.ts'
import { deleteSession } from '../../src/intake/session/delete-session.ts'
import { editQueuedMessage } from '../../src/intake/message/edit-queued-message.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import { appendMessage } from '../../src/intake/message/append-message.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { updateSession } from '../../src/intake/session/update-session.ts'
import { withdrawMessage } from '../../src/intake/message/withdraw-message.ts'
import { must } from '../../src/platform/must.ts'
import { acceptMessage } from '../../src/store/intake/accept-message.ts'
import { deleteIdleSession } from '../../src/store/intake/intake-delete-session.ts'
import { createWorld, MAX_QUEUED, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

type Name = Parameters<World['as']>[0]

const send = (
  sessionId: string,
  { content = 'first', on = world, as = 'bob', key }: { content?: string; on?: World; as?: Name; key?: string } = {},
) => sendMessage(on.context, on.as(as), { sessionId, content, idempotencyKey: key })
async function sent(sessionId: string, content?: string): Promise<string> {
  const answer = await send(sessionId, content === undefined ? {} : { content })
  if (answer.kind !== 'Accepted') throw new Error(JSON.stringify(answer))
  return answer.messageId
}
const edit = (id: string, on = world) => editQueuedMessage(on.context, on.as('bob'), { id, content: 'edited' })
const withdraw = (id: string, on = world) => withdrawMessage(on.context, on.as('bob'), { id })
const append = (sessionId: string, on = world) =>
  appendMessage(on.context, on.as('bob'), { sessionId, content: 'noted', messageId: 'm' })
const update = (id: string, input: { inactive?: boolean; metadata?: object }, on = world) =>
  updateSession(on.context, on.as('bob'), { id, ...input })
const session = async (id: string) => (await world.sql('SELECT * FROM sessions WHERE id = $1', id))[0]
const content = async (id: string) => (await world.sql('SELECT content, status FROM messages WHERE id = $1', id))[0]

test('an edit that waits for the start of its turn is refused and writes nothing', async () => {
  const id = await sent('@bob:edit-started')
  const [, edited] = await world.interleave(
    (first) => first.begin('@bob:edit-started'),
    () => edit(id),
  )
  expect(edited).toMatchObject({ kind: 'Conflict' })
  expect(await content(id)).toEqual({ content: 'first', status: 'PROCESSING' })
  expect(await world.log('@bob:edit-started')).toEqual(['1 MessageReceived', '2 MessageUpdated', '3 PipelineStep'])
  expect(await session('@bob:edit-started')).toMatchObject({ last_seq: 3 })
})

test('a start that waits for an edit gets what was edited', async () => {
  const id = await sent('@bob:start-edited')
  const [, started] = await world.interleave(
    (first) => edit(id, first),
    () => world.begin('@bob:start-edited'),
  )
  expect(started?.turn.content).toBe('edited')
})

test('a withdrawal that waits for the start of its turn is refused and writes nothing', async () => {
  const id = await sent('@bob:withdraw-started')
  const [, withdrawn] = await world.interleave(
    (first) => first.begin('@bob:withdraw-started'),
    () => withdraw(id),
  )
  expect(withdrawn).toMatchObject({ kind: 'Conflict' })
  expect(await session('@bob:withdraw-started')).toMatchObject({ last_seq: 3, queue_length: 0, status: 'RUNNING' })
})

test('a start that waits for the withdrawal of its turn finds nothing', async () => {
  const id = await sent('@bob:start-withdrawn')
  const [, started] = await world.interleave(
    (first) => withdraw(id, first),
    () => world.begin('@bob:start-withdrawn'),
  )
  expect(started).toBeNull()
  expect(await session('@bob:start-withdrawn')).toMatchObject({ queue_length: 0, status: 'IDLE' })
})

test('a withdrawal that waits for the turn before it to start leaves the session running', async () => {
  await sent('@bob:before-starts')
  const id = await sent('@bob:before-starts')
  const [, withdrawn] = await world.interleave(
    (first) => first.begin('@bob:before-starts'),
    () => withdraw(id),
  )
  expect(withdrawn).toMatchObject({ kind: 'Updated' })
  expect(await session('@bob:before-starts')).toMatchObject({ queue_length: 0, status: 'RUNNING' })
})

test('a withdrawal that waits for the turn before it to end leaves the session idle', async () => {
  await sent('@bob:before-ends')
  const id = await sent('@bob:before-ends')
  const running = must(await world.begin('@bob:before-ends'), 'a turn runs')
  const [, withdrawn] = await world.interleave(
    (first) => running.end('DONE', first),
    () => withdraw(id),
  )
  expect(withdrawn).toMatchObject({ kind: 'Updated' })
  expect(await session('@bob:before-ends')).toMatchObject({ queue_length: 0, status: 'IDLE' })
})

test('an edit that waits for a newer message leaves its preview', async () => {
  const id = await sent('@bob:newer')
  const [, edited] = await world.interleave(
    (first) => send('@bob:newer', { content: 'newer', on: first }),
    () => edit(id),
  )
  expect(edited).toMatchObject({ kind: 'Updated' })
  expect(await session('@bob:newer')).toMatchObject({ last_message_preview: 'newer', last_seq: 3 })
})

test('a message that waits for the opening of its session by the same user gets in', async () => {
  const [, second] = await world.interleave(
    (first) => send('@bob:opening', { on: first }),
    () => send('@bob:opening'),
  )
  expect(second).toMatchObject({ kind: 'Accepted' })
  expect(await session('@bob:opening')).toMatchObject({ last_seq: 2, queue_length: 2 })
})

test('the second of two messages with one key finds the first', async () => {
  await sent('@bob:key')
  const [one, two] = await world.interleave(
    (first) => send('@bob:key', { on: first, key: 'k' }),
    () => send('@bob:key', { key: 'k' }),
  )
  expect(two).toEqual({ ...one, duplicate: true })
  expect(await session('@bob:key')).toMatchObject({ last_seq: 2, message_count: 2 })
})

test('the second of two appended messages with one id finds the first', async () => {
  await sent('@bob:append')
  const [one, two] = await world.interleave(
    (first) => append('@bob:append', first),
    () => append('@bob:append'),
  )
  expect(two).toEqual({ ...one, duplicate: true })
  expect(await world.log('@bob:append')).toEqual(['1 MessageReceived', '2 MessageReceived'])
})

test('the last place in the queue is given once, and again when it becomes free', async () => {
  for (let waiting = 1; waiting < MAX_QUEUED; waiting++) await sent('@bob:last-place')
  const [one, two] = await world.interleave(
    (first) => send('@bob:last-place', { on: first }),
    () => send('@bob:last-place'),
  )
  expect([one.kind, two.kind]).toEqual(['Accepted', 'LimitExceeded'])
  const [started, three] = await world.interleave(
    (first) => first.begin('@bob:last-place'),
    () => send('@bob:last-place'),
  )
  expect([started === null, three.kind]).toEqual([false, 'Accepted'])
})

test('a change that waits for another is made on top of it', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:change', metadata: { a: 1 } })
  await world.interleave(
    (first) => update('@bob:change', { metadata: { b: 2 } }, first),
    () => update('@bob:change', { metadata: { c: 3 } }),
  )
  expect(await session('@bob:change')).toMatchObject({ metadata: { a: 1, b: 2, c: 3 }, last_seq: 3 })
})

test('a participant who waits for a message gets in with an event', async () => {
  await sent('@bob:join')
  const [, added] = await world.interleave(
    (first) => send('@bob:join', { on: first }),
    () => addParticipant(world.context, world.as('bob'), { sessionId: '@bob:join', user: 'carol' }),
  )
  expect(added).toMatchObject({ kind: 'Updated' })
  expect(await world.log('@bob:join')).toEqual(['1 MessageReceived', '2 MessageReceived', '3 SessionUpdated'])
  expect(await send('@bob:join', { as: 'carol' })).toMatchObject({ kind: 'Accepted' })
})

test('the same participant added twice makes one event', async () => {
  await sent('@bob:twice')
  const add = (on: World) => addParticipant(on.context, on.as('bob'), { sessionId: '@bob:twice', user: 'carol' })
  const [, second] = await world.interleave(add, () => add(world))
  expect(second).toMatchObject({ kind: 'Updated' })
  expect(await world.log('@bob:twice')).toEqual(['1 MessageReceived', '2 SessionUpdated'])
  expect(await session('@bob:twice')).toMatchObject({ last_seq: 2 })
})

test('a session that is opened twice at once is created once and taken up once', async () => {
  const open = (on: World, metadata: object) => openSession(on.context, on.as('bob'), { id: '@bob:open', metadata })
  const [one, two] = await world.interleave(
    (first) => open(first, { a: 1 }),
    () => open(world, { b: 2 }),
  )
  expect([one, two]).toMatchObject([{ created: true }, { created: false }])
  expect(await session('@bob:open')).toMatchObject({ metadata: { a: 1, b: 2 }, last_seq: 2 })
})

test('a session does not become inactive behind the back of a message', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:inactive' })
  const [, updated] = await world.interleave(
    (first) => send('@bob:inactive', { on: first }),
    () => update('@bob:inactive', { inactive: true }),
  )
  expect(updated).toMatchObject({ kind: 'Conflict' })
  expect(await session('@bob:inactive')).toMatchObject({ status: 'IDLE', queue_length: 1, last_seq: 2 })
})

test('a message that waits for a session to become inactive wakes it', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:wake' })
  const [, second] = await world.interleave(
    (first) => update('@bob:wake', { inactive: true }, first),
    () => send('@bob:wake'),
  )
  expect(second).toMatchObject({ kind: 'Accepted' })
  expect(await session('@bob:wake')).toMatchObject({ status: 'IDLE', queue_length: 1 })
})

test('a deletion that waits for a message is refused', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:delete' })
  const [, deleted] = await world.interleave(
    (first) => send('@bob:delete', { on: first }),
    () => deleteSession(world.context, world.as('bob'), { id: '@bob:delete' }),
  )
  expect(deleted).toMatchObject({ kind: 'Conflict' })
})

test('what waits for a deletion: sending and appending open the session anew, changing finds none', async () => {
  // The statement alone: deleteSession commits by itself.
  const remove = (id: string) => (on: World) => deleteIdleSession(on.context.database, accessOf(on.as('bob')), id)
  const ids = ['@bob:del-send', '@bob:del-append', '@bob:del-update'] as const
  for (const id of ids) await openSession(world.context, world.as('bob'), { id, metadata: { old: true } })
  const [, one] = await world.interleave(remove(ids[0]), () => send(ids[0]))
  const [, two] = await world.interleave(remove(ids[1]), () => append(ids[1]))
  const [, three] = await world.interleave(remove(ids[2]), () => update(ids[2], { metadata: { a: 1 } }))
  expect([one.kind, two.kind, three.kind]).toEqual(['Accepted', 'Accepted', 'NotFound'])
  expect(await session(ids[0])).toMatchObject({ metadata: {}, last_seq: 1 })
  expect(await session(ids[1])).toMatchObject({ metadata: {}, message_count: 1 })
  expect(await session(ids[2])).toBeUndefined()
})

test('a message of another participant that waits for a deletion does not open the session anew', async () => {
  const id = '@bob:del-theirs'
  await openSession(world.context, world.as('bob'), { id, participants: ['carol'] })
  const [, sent] = await world.interleave(
    (on) => deleteIdleSession(on.context.database, accessOf(on.as('bob')), id),
    () => send(id, { as: 'carol' }),
  )
  expect(sent).toMatchObject({ kind: 'NotFound', id })
  expect(await session(id)).toBeUndefined()
})

test('a cancel that waits for the end of the turn finds nothing to cancel', async () => {
  await sent('@bob:cancel')
  const running = must(await world.begin('@bob:cancel'), 'a turn runs')
  const [, cancelled] = await world.interleave(
    (first) => running.end('DONE', first),
    () => cancelTurn(world.context, world.as('bob'), { sessionId: '@bob:cancel' }),
  )
  expect(cancelled).toMatchObject({ kind: 'Conflict' })
  expect(await world.sql('SELECT cancel_requested FROM turns WHERE session_id = $1', '@bob:cancel')).toEqual([
    { cancel_requested: false },
  ])
})

/** As processes send the message of an admin's delegated task, whose row has the id. */
const delegate = (sessionId: string, turnId: string, on: World) => {
  const at = on.context.clock.now()
  const message = {
    id: 'msg_of_a_task',
    sessionId,
    role: 'USER',
    userName: 'bob',
    trusted: true,
    mentioned: true,
    content: 'a task',
    preview: 'a task',
    client: 'bob',
    idempotencyKey: 'task:1',
    createdAt: at,
    at,
    joins: true,
    attachments: [],
    call: null,
  } as const
  const startsIn = { DIRECT: true, GROUP: true }
  return acceptMessage(
    on.context.database,
    { ...accessOf(on.as('bob')), all: true },
    {
      message,
      turn: { id: turnId, maxQueued: MAX_QUEUED, startsIn, collectWindowMs: 0, mode: null, interrupts: 'NONE' },
      source: { kind: 'delegation', interactive: false, platform: null, triggerId: null, type: 'DIRECT' },
      maxSessions: null,
      openingMode: 'PLAN',
    },
  )
}

test('a message with an id of its own that two processes send at once is stored once', async () => {
  const id = '@bob:delegated'
  const [one, two] = await world.interleave(
    (first) => delegate(id, 'turn_one', first),
    () => delegate(id, 'turn_two', world),
  )
  expect([one, two]).toMatchObject([{ kind: 'Accepted' }, { kind: 'Duplicate', messageId: 'msg_of_a_task' }])
  expect(await world.log(id)).toEqual(['1 MessageReceived'])
})
