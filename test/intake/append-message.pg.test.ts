/** Messages that are only put on record: who may, as whom, when, and that repeating changes nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendMessage, type AppendMessageInput } from '../../src/intake/append-message.ts'
import { openSession } from '../../src/intake/open-session.ts'
import { sendMessage } from '../../src/intake/send-message.ts'
import { createWorld, type World } from './intake-world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const append = (sessionId: string, more: Partial<AppendMessageInput> = {}, as: Parameters<World['as']>[0] = 'bob') =>
  appendMessage(world.context, world.as(as), { sessionId, content: 'noted', ...more })

const messagesOf = (sessionId: string) =>
  world.sql('SELECT role, user_name, trusted, status, seq FROM messages WHERE session_id = $1 ORDER BY seq', sessionId)

test('it is stored with its event and without a turn', async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:stored' })
  const appended = await append('cli:stored')
  expect(appended).toMatchObject({ kind: 'Accepted', duplicate: false })
  expect(await messagesOf('cli:stored')).toEqual([
    { role: 'USER', user_name: 'bob', trusted: true, status: 'STORED', seq: 2 },
  ])
  expect(await world.log('cli:stored')).toEqual(['1 SessionUpdated', '2 MessageReceived'])
  expect(await world.sql('SELECT queue_length, ready_at, message_count, last_message_preview FROM sessions')).toEqual([
    { queue_length: 0, ready_at: null, message_count: 1, last_message_preview: 'noted' },
  ])
  expect(world.published.at(-1)).toMatchObject({ type: 'MessageReceived', seq: 2, turnId: null })
  expect(world.rung).toEqual([])
})

test('a message id makes it idempotent, other content under it is a conflict', async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:id' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => append('cli:id', { messageId: 'm1' })))
  const ids = new Set(answers.map((answer) => (answer.kind === 'Accepted' ? answer.messageId : answer.kind)))
  expect(ids.size).toBe(1)
  expect(answers.filter((answer) => answer.kind === 'Accepted' && !answer.duplicate)).toHaveLength(1)
  expect(await world.log('cli:id')).toEqual(['1 SessionUpdated', '2 MessageReceived'])
  expect(await append('cli:id', { messageId: 'm1', content: 'other' })).toMatchObject({ kind: 'Conflict' })
  expect(await append('cli:id', { messageId: 'm1', role: 'SYSTEM' })).toMatchObject({ kind: 'Conflict' })
})

test('a message id and an idempotency key of the same text have nothing to do with each other', async () => {
  const input = { sessionId: 'cli:keys', content: 'noted' }
  await sendMessage(world.context, world.as('bob'), { ...input, idempotencyKey: 'x' })
  expect(await append('cli:keys', { messageId: 'x' })).toMatchObject({ kind: 'Accepted', duplicate: false })
  const third = await sendMessage(world.context, world.as('bob'), { ...input, idempotencyKey: 'append:x' })
  expect(third).toMatchObject({ kind: 'Accepted', duplicate: false })
})

test('a connector puts its own words on record, and those of people by their platform identity', async () => {
  await openSession(world.context, world.as('discord'), { id: 'discord:room' })
  await append('discord:room', { role: 'ASSISTANT' }, 'discord')
  await append('discord:room', { user: 'Bob#1' }, 'discord')
  await append('discord:room', { user: 'Mallory' }, 'discord')
  expect(await messagesOf('discord:room')).toEqual([
    { role: 'ASSISTANT', user_name: null, trusted: true, status: 'STORED', seq: 2 },
    { role: 'USER', user_name: 'bob', trusted: true, status: 'STORED', seq: 3 },
    { role: 'USER', user_name: 'Mallory', trusted: false, status: 'STORED', seq: 4 },
  ])
  expect(await append('discord:room', {}, 'discord')).toMatchObject({
    kind: 'InvalidInput',
    issues: [{ path: ['user'] }],
  })
})

test('what a user appends for another role keeps the name of who did it', async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:roles' })
  await append('cli:roles', { role: 'SYSTEM' })
  expect(await messagesOf('cli:roles')).toMatchObject([{ role: 'SYSTEM', user_name: 'bob' }])
})

test('it may be dated back, not ahead', async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:dated' })
  const createdAt = new Date('2020-02-02T02:02:02.002Z')
  await append('cli:dated', { createdAt })
  expect(await world.sql('SELECT created_at FROM messages WHERE session_id = $1', 'cli:dated')).toEqual([
    { created_at: createdAt },
  ])
  for (const wrong of [new Date(Date.now() + 120_000), new Date(-1), new Date(Number.NaN)]) {
    const refusal = await append('cli:dated', { createdAt: wrong })
    expect(refusal).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['createdAt'] }] })
  }
})

test("an absent session and somebody else's look the same", async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:mine' })
  const [theirs, absent] = await Promise.all([append('cli:mine', {}, 'carol'), append('cli:none', {}, 'carol')])
  expect(theirs).toMatchObject({ kind: 'NotFound', id: 'cli:mine' })
  expect(absent).toMatchObject({ kind: 'NotFound', id: 'cli:none' })
  expect(JSON.stringify(theirs).replaceAll('cli:mine', 'cli:none')).toBe(JSON.stringify(absent))
  expect(await world.sql('SELECT 1 FROM sessions WHERE id = $1', 'cli:none')).toEqual([])
})

test('content is held to the same rules as what is sent', async () => {
  await openSession(world.context, world.as('bob'), { id: 'cli:rules' })
  expect(await append('cli:rules', { content: 'a\0' })).toMatchObject({ issues: [{ path: ['content'] }] })
  expect(await append('cli:rules', { messageId: 'a\ud800' })).toMatchObject({ issues: [{ path: ['messageId'] }] })
})
