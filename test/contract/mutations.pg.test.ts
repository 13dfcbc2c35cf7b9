/**
 * Mutations: each result member that can happen, over the real use cases, and payloads loaded as the document selects
 * them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as api from '../generated/graphql.ts'
import { MAX_QUEUED } from '../intake/intake-world.ts'
import { createSchemaWorld, type SchemaWorld } from './schema-world.ts'

let it: SchemaWorld
beforeAll(async () => {
  it = await createSchemaWorld()
})
afterAll(async () => {
  await it[Symbol.asyncDispose]()
})

async function send(
  sessionId: string,
  content: string,
  idempotencyKey?: string,
): Promise<api.SendMessageMutation['sendMessage']> {
  const input = { sessionId, content, idempotencyKey }
  const { data, codes } = await it.run('bob', api.SendMessageDocument, { input })
  expect(codes).toEqual([])
  return data.sendMessage
}

function idOf(sent: api.SendMessageMutation['sendMessage']): string {
  expect(sent.__typename).toBe('SendMessagePayload')
  return sent.__typename === 'SendMessagePayload' ? sent.message.id : ''
}

test('openSession creates, then takes up again and merges metadata, from literals and variables alike', async () => {
  const first = await it.run(
    'bob',
    `mutation { openSession(input: { id: "@bob:open", source: { kind: "cli", interactive: false },
      metadata: { chat: 1, deep: [{ a: true, b: null, c: -1.5, d: WORD }] }, description: "d", participants: ["carol"] }) {
      ... on OpenSessionPayload { created session { id metadata source { kind interactive } participants { name } connector } } } }`,
  )
  expect(first.data).toEqual({
    openSession: {
      created: true,
      session: {
        id: '@bob:open',
        metadata: { chat: 1, deep: [{ a: true, b: null, c: -1.5, d: 'WORD' }] },
        source: { kind: 'cli', interactive: false },
        participants: [{ name: 'bob' }, { name: 'carol' }],
        connector: 'bob',
      },
    },
  })
  const input = { id: '@bob:open', metadata: { chat: 2 } }
  const again = await it.run('bob', api.OpenSessionDocument, { input })
  expect(again.data.openSession).toMatchObject({
    created: false,
    session: { description: 'd', metadata: { chat: 2, deep: [{ a: true }] } },
  })
})

test('openSession without an id makes one', async () => {
  const { data } = await it.run('bob', api.OpenSessionDocument, { input: { source: { kind: 'web' } } })
  expect(data.openSession).toMatchObject({
    created: true,
    session: { id: expect.stringMatching(/^@bob:web:[0-9a-f]{32}$/) },
  })
})

test('everything that is wrong with an input is told at once, with its place', async () => {
  const input = { id: 'cli:bad', source: { kind: 'no blanks' }, metadata: [1], participants: ['nobody'] }
  const { data } = await it.run('bob', api.OpenSessionDocument, { input })
  expect(data.openSession).toMatchObject({
    __typename: 'InvalidInputRefusal',
    code: 'INVALID_INPUT',
    issues: [{ path: ['source', 'kind'] }, { path: ['metadata'] }, { path: ['participants', '0'] }],
  })
})

test('JSON that is too deep or too long never reaches a use case', async () => {
  let deep: unknown = {}
  for (let n = 0; n < 32; n++) deep = { deep }
  for (const metadata of [deep, { long: 'x'.repeat(65_536) }]) {
    const { codes, messages } = await it.run('bob', api.OpenSessionDocument, { input: { id: 'cli:json', metadata } })
    expect([codes.length, messages[0]]).toEqual([1, expect.stringContaining('JSON may be at most')])
  }
})

test('sendMessage stores, answers with the place in the queue, and knows its keys', async () => {
  const first = await send('@bob:send', 'one', 'key-1')
  expect(first).toMatchObject({
    duplicate: false,
    message: { content: 'one', status: 'QUEUED', queuePosition: 0, trusted: true, user: 'bob' },
  })
  expect(await send('@bob:send', 'two')).toMatchObject({ message: { queuePosition: 1 } })
  expect(await send('@bob:send', 'one', 'key-1')).toMatchObject({ duplicate: true, message: { id: idOf(first) } })
  expect(await send('@bob:send', 'other', 'key-1')).toMatchObject({ __typename: 'ConflictRefusal', code: 'CONFLICT' })
  expect(await send('@bob:send', '')).toMatchObject({
    __typename: 'InvalidInputRefusal',
    issues: [{ path: ['content'] }],
  })
  expect(await send('@bob:send', 'a\0b')).toMatchObject({
    __typename: 'InvalidInputRefusal',
    issues: [{ path: ['content'] }],
  })
  const stranger = await it.run('carol', api.SendMessageDocument, { input: { sessionId: '@bob:send', content: 'x' } })
  expect(stranger.data.sendMessage).toMatchObject({
    __typename: 'NotFoundRefusal',
    code: 'NOT_FOUND',
    missingId: '@bob:send',
  })
})

test('a full queue says so', async () => {
  for (let n = 0; n < MAX_QUEUED; n++) await send('@bob:full', `${n}`)
  expect(await send('@bob:full', 'too many')).toMatchObject({
    __typename: 'LimitExceededRefusal',
    code: 'LIMIT_EXCEEDED',
    limit: MAX_QUEUED,
    retryAfterMs: null,
  })
})

test('what waits can be edited and withdrawn; what runs can be cancelled, not edited', async () => {
  const [first, second] = [idOf(await send('@bob:queue', 'one')), idOf(await send('@bob:queue', 'two'))]
  const edited = await it.run('bob', api.EditQueuedMessageDocument, { id: second, content: 'two!' })
  expect(edited.data.editQueuedMessage).toMatchObject({ message: { content: 'two!', queuePosition: 1 } })
  const withdrawn = await it.run('bob', api.WithdrawMessageDocument, { id: second })
  expect(withdrawn.data.withdrawMessage).toMatchObject({ message: { status: 'CANCELLED', queuePosition: null } })

  const nothingRuns = await it.run('bob', api.CancelTurnDocument, { sessionId: '@bob:queue' })
  expect(nothingRuns.data.cancelTurn).toMatchObject({ __typename: 'ConflictRefusal' })
  await it.world.begin('@bob:queue')
  const cancelled = await it.run('bob', api.CancelTurnDocument, { sessionId: '@bob:queue' })
  expect(cancelled.data.cancelTurn).toMatchObject({
    __typename: 'CancelTurnPayload',
    turn: { status: 'RUNNING', cancelRequested: true },
  })
  const late = await it.run('bob', api.EditQueuedMessageDocument, { id: first, content: 'late' })
  expect(late.data.editQueuedMessage).toMatchObject({
    __typename: 'ConflictRefusal',
    problem: expect.stringContaining('worked on'),
  })
})

test('appendMessage puts on record, back-dated, once', async () => {
  await it.run('bob', api.OpenSessionDocument, { input: { id: '@bob:append' } })
  const input = {
    sessionId: '@bob:append',
    content: 'from elsewhere',
    role: 'ASSISTANT' as const,
    messageId: 'm-1',
    createdAt: '2026-01-31T12:00:00.123456+02:00',
  }
  const first = await it.run('alice', api.AppendMessageDocument, { input })
  expect(first.data.appendMessage).toMatchObject({
    duplicate: false,
    message: { status: 'STORED', role: 'ASSISTANT', createdAt: '2026-01-31T10:00:00.123Z', queuePosition: null },
  })
  expect((await it.run('alice', api.AppendMessageDocument, { input })).data.appendMessage).toMatchObject({
    duplicate: true,
  })
  expect((await it.run('bob', api.AppendMessageDocument, { input })).data.appendMessage).toMatchObject({
    issues: [{ path: ['role'] }],
  })
  const undated = await it.run('bob', api.AppendMessageDocument, { input: { ...input, createdAt: 'yesterday' } })
  expect(undated.messages).toEqual([expect.stringContaining('DateTime must be RFC 3339')])
})

test('participants come and go; who leaves sees the answer and then nothing', async () => {
  await it.run('bob', api.OpenSessionDocument, { input: { id: '@bob:people' } })
  const added = await it.run('bob', api.AddParticipantDocument, { sessionId: '@bob:people', user: 'carol' })
  expect(added.data.addParticipant).toMatchObject({ session: { participants: [{ name: 'bob' }, { name: 'carol' }] } })
  const left = await it.run('carol', api.RemoveParticipantDocument, { sessionId: '@bob:people', user: 'carol' })
  expect(left.data.removeParticipant).toMatchObject({ session: { participants: [{ name: 'bob', role: 'USER' }] } })
  expect((await it.run('carol', api.SessionDocument, { id: '@bob:people' })).data.session).toBeNull()
})

test('updateSession and deleteSession', async () => {
  await send('@bob:edit', 'hello')
  const input = { id: '@bob:edit', description: 'new', metadata: { a: 1 } }
  const updated = await it.run('bob', api.UpdateSessionDocument, { input })
  expect(updated.data.updateSession).toMatchObject({
    session: { description: 'new', metadata: { a: 1 }, status: 'IDLE' },
  })
  const kept = await it.run('bob', api.UpdateSessionDocument, { input: { id: '@bob:edit' } })
  expect(kept.data.updateSession).toMatchObject({ session: { description: 'new' } })
  const cleared = await it.run('bob', api.UpdateSessionDocument, { input: { id: '@bob:edit', description: null } })
  expect(cleared.data.updateSession).toMatchObject({ session: { description: null } })
  const busy = await it.run('bob', api.DeleteSessionDocument, { id: '@bob:edit' })
  expect(busy.data.deleteSession).toMatchObject({ __typename: 'ConflictRefusal' })

  await it.run('bob', api.OpenSessionDocument, { input: { id: '@bob:gone' } })
  expect((await it.run('bob', api.DeleteSessionDocument, { id: '@bob:gone' })).data.deleteSession).toEqual({
    __typename: 'DeleteSessionPayload',
    deletedSessionId: '@bob:gone',
  })
  expect((await it.run('bob', api.DeleteSessionDocument, { id: '@bob:gone' })).data.deleteSession).toMatchObject({
    __typename: 'NotFoundRefusal',
    missingId: '@bob:gone',
  })
})
