/** Messages that are only put on record: who may, as whom, when, and that repeating changes nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendMessage, type AppendMessageInput } from '../../src/intake/message/append-message.ts'
import { openSession } from '../../src/intake/session/open-session.ts'
import { sendMessage } from '../../src/intake/message/send-message.ts'
import { must } from '../../src/platform/must.ts'
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
  await openSession(world.context, world.as('bob'), { id: '@bob:stored' })
  const appended = await append('@bob:stored')
  expect(appended).toMatchObject({ kind: 'Accepted', duplicate: false })
  expect(await messagesOf('@bob:stored')).toEqual([
    { role: 'USER', user_name: 'bob', trusted: true, status: 'STORED', seq: 2 },
  ])
  expect(await world.log('@bob:stored')).toEqual(['1 SessionUpdated', '2 MessageReceived'])
  expect(await world.sql('SELECT queue_length, ready_at, message_count, last_message_preview FROM sessions')).toEqual([
    { queue_length: 0, ready_at: null, message_count: 1, last_message_preview: 'noted' },
  ])
  expect(world.published.at(-1)).toMatchObject({ type: 'MessageReceived', seq: 2, turnId: null })
  expect(world.rung).toEqual([])
})

test('it opens a session in the own name space, as a message does that is sent', async () => {
  const answers = await Promise.all([
    append('@bob:opened', { messageId: 'm' }),
    append('@bob:opened', { messageId: 'm' }),
  ])
  expect(answers.map(({ kind }) => kind)).toEqual(['Accepted', 'Accepted'])
  expect(await messagesOf('@bob:opened')).toMatchObject([{ user_name: 'bob', status: 'STORED', seq: 2 }])
  const [session] = await world.sql('SELECT opened_by, status FROM sessions WHERE id = $1', '@bob:opened')
  expect(session).toEqual({ opened_by: '@bob', status: 'IDLE' })
  expect(await append('@carol:opened')).toMatchObject({ kind: 'NotFound' })
})

test('a message id makes it idempotent, other content under it is a conflict', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:id' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => append('@bob:id', { messageId: 'm1' })))
  const ids = new Set(answers.map((answer) => (answer.kind === 'Accepted' ? answer.messageId : answer.kind)))
  expect(ids.size).toBe(1)
  expect(answers.filter((answer) => answer.kind === 'Accepted' && !answer.duplicate)).toHaveLength(1)
  expect(await world.log('@bob:id')).toEqual(['1 SessionUpdated', '2 MessageReceived'])
  expect(await append('@bob:id', { messageId: 'm1', content: 'other' })).toMatchObject({ kind: 'Conflict' })
  await append('@bob:id', { messageId: 'm2' }, 'alice')
  const asSystem = await append('@bob:id', { messageId: 'm2', role: 'SYSTEM' }, 'alice')
  expect(asSystem).toMatchObject({ kind: 'Conflict' })
  const again = await append('@bob:id', { messageId: 'm2', createdAt: new Date(0) }, 'alice')
  expect(again).toMatchObject({ kind: 'Accepted', duplicate: true })
})

test('a message id and an idempotency key of the same text have nothing to do with each other', async () => {
  const input = { sessionId: '@bob:keys', content: 'noted' }
  await sendMessage(world.context, world.as('bob'), { ...input, idempotencyKey: 'x' })
  expect(await append('@bob:keys', { messageId: 'x' })).toMatchObject({ kind: 'Accepted', duplicate: false })
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

test('what an admin appends for the assistant or the system keeps the name of who did it', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:roles' })
  await append('@bob:roles', { role: 'SYSTEM' }, 'alice')
  expect(await messagesOf('@bob:roles')).toMatchObject([{ role: 'SYSTEM', user_name: 'alice', trusted: true }])
  const who = await world.sql('SELECT user_name FROM participants WHERE session_id = $1', '@bob:roles')
  expect(who).toEqual([{ user_name: 'bob' }])
})

test('nobody puts words into the mouth of the assistant, the system or another user', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:mouths' })
  await openSession(world.context, world.as('discord'), { id: 'discord:mouths' })
  for (const role of ['ASSISTANT', 'SYSTEM'] as const) {
    const refused = { kind: 'InvalidInput', issues: [{ path: ['role'] }] }
    expect(await append('@bob:mouths', { role })).toMatchObject(refused)
    expect(await append('@bob:mouths', { role, user: 'bob' })).toMatchObject(refused)
    // Whom the connector names has the rights of that name alone.
    expect(await append('discord:mouths', { role, user: 'Bob#1' }, 'discord')).toMatchObject(refused)
    expect(await append('discord:mouths', { role, user: 'Mallory' }, 'discord')).toMatchObject(refused)
    expect(await append('discord:mouths', { role, user: 'alice' }, 'discord')).toMatchObject(refused)
  }
  const named = { kind: 'InvalidInput', issues: [{ path: ['user'] }] }
  expect(await append('@bob:mouths', { user: 'carol' })).toMatchObject(named)
  expect(await append('@bob:mouths', { user: 'carol' }, 'alice')).toMatchObject(named)
  expect(await append('@bob:mouths', { role: 'ASSISTANT' }, 'discord')).toMatchObject({
    kind: 'InvalidInput',
    issues: [{ path: ['sessionId'] }],
  })
  expect(await messagesOf('@bob:mouths')).toEqual([])
  expect(await messagesOf('discord:mouths')).toEqual([])
})

test('it may be dated back, not ahead', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:dated' })
  const createdAt = new Date('2020-02-02T02:02:02.002Z')
  await append('@bob:dated', { createdAt })
  expect(await world.sql('SELECT created_at FROM messages WHERE session_id = $1', '@bob:dated')).toEqual([
    { created_at: createdAt },
  ])
  for (const wrong of [new Date(Date.now() + 120_000), new Date(-1), new Date(Number.NaN)]) {
    const refusal = await append('@bob:dated', { createdAt: wrong })
    expect(refusal).toMatchObject({ kind: 'InvalidInput', issues: [{ path: ['createdAt'] }] })
  }
})

test('its place is where it came in, also for the planner, who is told when it was said', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:order' })
  await append('@bob:order', { content: 'today' })
  await append('@bob:order', { content: 'long ago', createdAt: new Date('2020-02-02T02:02:02.002Z') })
  const [session] = await world.sql(
    'SELECT last_message_preview, message_count FROM sessions WHERE id = $1',
    '@bob:order',
  )
  expect(session).toEqual({ last_message_preview: 'long ago', message_count: 2 })
  await sendMessage(world.context, world.as('bob'), { sessionId: '@bob:order', content: 'Well?' })
  const { messages } = must(await world.begin('@bob:order'), 'a turn').turn.saidBefore.said
  expect(messages.map(({ content, at }) => [content, new Date(at).getTime() === 1580608922002])).toEqual([
    ['today', false],
    ['long ago', true],
  ])
})

test("an absent session and another user's look the same", async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:mine' })
  const [theirs, absent] = await Promise.all([append('@bob:mine', {}, 'carol'), append('cli:none', {}, 'carol')])
  expect(theirs).toMatchObject({ kind: 'NotFound', id: '@bob:mine' })
  expect(absent).toMatchObject({ kind: 'NotFound', id: 'cli:none' })
  expect(JSON.stringify(theirs).replaceAll('@bob:mine', 'cli:none')).toBe(JSON.stringify(absent))
  expect(await world.sql('SELECT 1 FROM sessions WHERE id = $1', 'cli:none')).toEqual([])
})

test('content is held to the same rules as what is sent', async () => {
  await openSession(world.context, world.as('bob'), { id: '@bob:rules' })
  expect(await append('@bob:rules', { content: 'a\0' })).toMatchObject({ issues: [{ path: ['content'] }] })
  expect(await append('@bob:rules', { messageId: 'a\ud800' })).toMatchObject({ issues: [{ path: ['messageId'] }] })
})
