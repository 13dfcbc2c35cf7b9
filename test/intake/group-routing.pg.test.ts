/**
 * Who starts a turn by what they say, in the statement that takes the message in: as in route-message.test.ts, over
 * real rows.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConversationType } from '../../src/core/status.ts'
import { deleteSession } from '../../src/intake/session/delete-session.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import { sendMessage, type SendMessageInput } from '../../src/intake/message/send-message.ts'
import { updateSession } from '../../src/intake/session/update-session.ts'
import { createWorld, MAX_QUEUED, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

type Name = Parameters<World['as']>[0]
type More = Partial<Omit<SendMessageInput, 'sessionId'>>
const open = (id: string, type: ConversationType) =>
  openSession(world.context, world.as('hub'), { id, source: { kind: 'hub', type }, participants: ['bob', 'carol'] })
const say = (sessionId: string, as: Name, more: More = {}) =>
  sendMessage(world.context, world.as(as), { sessionId, content: 'hello', ...more })
const sessionRow = async (id: string) => (await world.sql('SELECT * FROM sessions WHERE id = $1', id))[0]
const messagesOf = (id: string) =>
  world.sql(
    `SELECT m.user_name, m.mentioned, m.status, t.id IS NOT NULL AS turn, e.turn_id IS NOT NULL AS announced
     FROM messages m LEFT JOIN turns t ON t.message_id = m.id JOIN events e ON e.session_id = m.session_id AND e.seq = m.seq
     WHERE m.session_id = $1 ORDER BY m.seq`,
    id,
  )

/** alice is an admin, bob a user whom the hub knows as b-17, and nobody knows who x-1 is. */
const TABLE = [
  { type: 'GROUP', as: 'alice', user: undefined, mentioned: true, turn: true },
  { type: 'GROUP', as: 'alice', user: undefined, mentioned: false, turn: true },
  { type: 'GROUP', as: 'bob', user: undefined, mentioned: true, turn: true },
  { type: 'GROUP', as: 'bob', user: undefined, mentioned: false, turn: false },
  { type: 'GROUP', as: 'hub', user: 'b-17', mentioned: true, turn: true },
  { type: 'GROUP', as: 'hub', user: 'b-17', mentioned: false, turn: false },
  { type: 'GROUP', as: 'hub', user: 'x-1', mentioned: true, turn: false },
  { type: 'GROUP', as: 'hub', user: 'x-1', mentioned: false, turn: false },
  { type: 'DIRECT', as: 'bob', user: undefined, mentioned: true, turn: true },
  { type: 'DIRECT', as: 'bob', user: undefined, mentioned: false, turn: true },
  { type: 'DIRECT', as: 'hub', user: 'b-17', mentioned: false, turn: true },
  { type: 'DIRECT', as: 'hub', user: 'x-1', mentioned: true, turn: false },
] as const

test.each(TABLE)('$type: $as $user, mentioned $mentioned, starts a turn: $turn', async (row) => {
  const { type, as, user, mentioned, turn } = row
  const id = `hub:table-${TABLE.indexOf(row)}`
  await open(id, type)
  expect(await say(id, as, { user, mentioned })).toMatchObject({ kind: 'Accepted', duplicate: false })
  const status = turn ? 'QUEUED' : 'STORED'
  expect(await messagesOf(id)).toMatchObject([{ mentioned, status, turn, announced: turn }])
  expect(await sessionRow(id)).toMatchObject({ message_count: 1, queue_length: turn ? 1 : 0, status: 'IDLE' })
  expect((await sessionRow(id))?.['ready_at'] !== null).toBe(turn)
  expect(world.rung.some((rung) => rung.kind === 'work' && rung.sessionId === id)).toBe(turn)
  const received = world.published.filter((event) => event.sessionId === id && event.type === 'MessageReceived')
  expect(received.map((event) => event.turnId !== null)).toEqual([turn])
})

test('who speaks in a group takes part in it, addressed to the agent or not; a stranger does not', async () => {
  await openSession(world.context, world.as('hub'), { id: 'hub:joins', source: { kind: 'hub', type: 'GROUP' } })
  await say('hub:joins', 'hub', { user: 'b-17' })
  await say('hub:joins', 'hub', { user: 'x-1', mentioned: true })
  expect(await world.sql('SELECT user_name FROM participants WHERE session_id = $1', 'hub:joins')).toEqual([
    { user_name: 'bob' },
  ])
})

test('an unaddressed message leaves a running session as it is, and wakes one that was put aside', async () => {
  await open('hub:running', 'GROUP')
  await say('hub:running', 'bob', { mentioned: true })
  const started = await world.begin('hub:running')
  const before = await sessionRow('hub:running')
  await say('hub:running', 'carol')
  const after = await sessionRow('hub:running')
  expect(after).toMatchObject({ status: 'RUNNING', queue_length: 0, owner: before?.['owner'], message_count: 2 })
  expect(after?.['ready_at']).toEqual(before?.['ready_at'])
  await started?.end('DONE')
  expect(await sessionRow('hub:running')).toMatchObject({ status: 'IDLE', ready_at: null, owner: null })
  await updateSession(world.context, world.as('bob'), { id: 'hub:running', inactive: true })
  await say('hub:running', 'carol')
  expect(await sessionRow('hub:running')).toMatchObject({ status: 'IDLE', ready_at: null })
})

test('the limit of the queue holds for what would wait in it alone', async () => {
  await open('hub:full', 'GROUP')
  for (let sent = 0; sent < MAX_QUEUED; sent++) await say('hub:full', 'bob', { mentioned: true })
  expect(await say('hub:full', 'bob', { mentioned: true })).toMatchObject({ kind: 'LimitExceeded' })
  expect(await say('hub:full', 'bob')).toMatchObject({ kind: 'Accepted' })
  expect(await say('hub:full', 'alice')).toMatchObject({ kind: 'LimitExceeded' })
  expect(await sessionRow('hub:full')).toMatchObject({ queue_length: MAX_QUEUED, message_count: MAX_QUEUED + 1 })
})

test('users and admins at once: every message has its place, every turn its message', async () => {
  await open('hub:crowd', 'GROUP')
  const speakers = ['bob', 'carol', 'alice'] as const
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => say('hub:crowd', speakers[n % 3] ?? 'bob', { mentioned: n % 2 === 0 })),
  )
  const messages = await messagesOf('hub:crowd')
  const expected = (message: Record<string, unknown>): boolean =>
    message['user_name'] === 'alice' || message['mentioned'] === true
  expect(messages.map(({ turn }) => turn)).toEqual(messages.map(expected))
  expect(messages.map(({ announced }) => announced)).toEqual(messages.map(expected))
  expect(await sessionRow('hub:crowd')).toMatchObject({ last_seq: 31, queue_length: 20, message_count: 30 })
})

test('a message that waits for the opening of its session goes by what that turns out to be', async () => {
  for (const type of ['GROUP', 'DIRECT'] as const) {
    const id = `hub:opening-${type}`
    const opening = { id, source: { kind: 'hub', type } }
    const [, sent] = await world.interleave(
      (first) => openSession(first.context, first.as('hub'), opening),
      () => say(id, 'hub', { user: 'b-17' }),
    )
    expect(sent).toMatchObject({ kind: 'Accepted' })
    expect(await messagesOf(id)).toMatchObject([{ user_name: 'bob', status: type === 'GROUP' ? 'STORED' : 'QUEUED' }])
    expect(await sessionRow(id)).toMatchObject({ queue_length: type === 'GROUP' ? 0 : 1, last_seq: 2 })
  }
})

describe('the same message again', () => {
  test('is the first one, stored or not', async () => {
    await open('hub:again', 'GROUP')
    const first = await say('hub:again', 'bob', { idempotencyKey: 'k' })
    expect(await say('hub:again', 'bob', { idempotencyKey: 'k' })).toEqual({ ...first, duplicate: true })
    expect(await messagesOf('hub:again')).toHaveLength(1)
  })

  test('with the agent mentioned this time is another one', async () => {
    await open('hub:other', 'GROUP')
    await say('hub:other', 'bob', { idempotencyKey: 'k' })
    expect(await say('hub:other', 'bob', { idempotencyKey: 'k', mentioned: true })).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining('mentioned'),
    })
  })
})

test('the turn knows whether it was addressed', async () => {
  await open('hub:told', 'GROUP')
  await say('hub:told', 'alice')
  const first = await world.begin('hub:told')
  expect(first?.turn).toMatchObject({ conversationType: 'GROUP', mentioned: false, userName: 'alice' })
  // Also the process that goes on with it when the first one has died.
  const again = await world.begin('hub:told')
  expect(again?.turn).toMatchObject({ resumed: true, conversationType: 'GROUP', mentioned: false, userName: 'alice' })
  await again?.end('DONE')
  await say('hub:told', 'bob', { mentioned: true })
  const second = await world.begin('hub:told')
  expect(second?.turn).toMatchObject({ conversationType: 'GROUP', mentioned: true, userName: 'bob' })
  await second?.end('DONE')
})

test('a group is not deleted, not even by an admin; one of a single person is', async () => {
  await open('hub:kept', 'GROUP')
  for (const as of ['alice', 'hub'] as const) {
    expect(await deleteSession(world.context, world.as(as), { id: 'hub:kept' })).toMatchObject({
      kind: 'Conflict',
      message: expect.stringContaining("is a group's"),
    })
  }
  expect(await sessionRow('hub:kept')).toBeDefined()
  expect(world.removed).not.toContain('hub:kept')
  await openSession(world.context, world.as('bob'), { id: '@bob:of-strangers', source: { kind: 'cli', type: 'GROUP' } })
  expect(await deleteSession(world.context, world.as('carol'), { id: '@bob:of-strangers' })).toMatchObject({
    kind: 'NotFound',
  })
  await open('hub:deleted', 'DIRECT')
  expect(await deleteSession(world.context, world.as('hub'), { id: 'hub:deleted' })).toMatchObject({ kind: 'Deleted' })
})
